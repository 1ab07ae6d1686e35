# A command for gdb that writes what mprof stack needs and an ELF core file of a
# Cortex-M cannot hold: MSP, PSP and CONTROL; of RISC-V mepc and mcause.
#
#   (gdb) source scripts/gdb-capture.py
#   (gdb) mprof-capture crash.json                     4 KiB of each stack, fault registers
#   (gdb) mprof-capture crash.json 0x20000000 0x10000  and this memory: address, bytes
#
#   mprof stack app.elf --core crash.json
import json

import gdb

ARM = ["r%d" % i for i in range(13)] + ["sp", "lr", "pc", "xpsr", "msp", "psp", "msp_ns", "psp_ns", "msp_s", "psp_s"]
ARM_PARTS = ["control", "faultmask", "basepri", "primask"]
RISCV = ["pc"] + ["x%d" % i for i in range(1, 32)] + ["mepc", "mcause"]
STACK = 4096  # bytes above each stack pointer


def register(frame, name):
    """The value of a register, or None where the target has none of that name."""
    for spelling in (name, name.upper(), {"xpsr": "xPSR", "r13": "sp"}.get(name, name)):
        try:
            return int(frame.read_register(spelling)) & 0xFFFFFFFF
        except (ValueError, gdb.error):
            continue
    return None


def memory(start, size):
    """What can be read from start on, at most size bytes."""
    inferior = gdb.selected_inferior()
    data = b""
    while len(data) < size:
        try:
            data += bytes(inferior.read_memory(start + len(data), min(256, size - len(data))))
        except gdb.MemoryError:
            break
    return {"start": "0x%08x" % start, "bytes": data.hex()}


class Capture(gdb.Command):
    """mprof-capture FILE [ADDRESS BYTES]...: write registers and memory for mprof stack."""

    def __init__(self):
        super().__init__("mprof-capture", gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        args = gdb.string_to_argv(argument)
        if len(args) % 2 != 1:
            raise gdb.GdbError("mprof-capture FILE [ADDRESS BYTES]...")
        frame = gdb.newest_frame()
        riscv = "riscv" in frame.architecture().name()
        out = {"registers": {}, "core_type": "riscv" if riscv else "arm", "memory": []}
        for name in RISCV if riscv else ARM:
            value = register(frame, name)
            if value is not None:
                out["registers"][name] = "0x%08x" % value
        for name in [] if riscv else ARM_PARTS:
            value = register(frame, name)
            if value is not None:
                out[name] = value & 0xFF
        stacks = ["x2"] if riscv else ["sp", "msp", "psp"]
        ranges = {(int(out["registers"][name], 16) & ~3, STACK) for name in stacks if name in out["registers"]}
        if not riscv:
            ranges.add((0xE000ED00, 0x90))  # the fault registers
        for start, size in zip(args[1::2], args[2::2]):
            ranges.add((int(gdb.parse_and_eval(start)) & 0xFFFFFFFF, int(gdb.parse_and_eval(size))))
        out["memory"] = [memory(*r) for r in sorted(ranges)]
        with open(args[0], "w") as f:
            json.dump(out, f, indent=1)


Capture()
