# gdb puts a halted core into QEMU, point by point, and prints its backtrace.
# Points: the file in $POINTS, little-endian words: R0-R15, xPSR, MSP, PSP, number of
# runs; per run its address and length, then its bytes. One line is printed per point:
# the PC of each frame, "X" for an exception, and the reason of the end. Left out
# are inlined functions and those that have jumped to the next, which have no frame
# on the stack.
import os
import struct

import gdb

LIMIT = 300


def points(path):
    with open(path, "rb") as f:
        while head := f.read(20 * 4):
            *registers, runs = struct.unpack("<20I", head)
            memory = []
            for _ in range(runs):
                address, length = struct.unpack("<2I", f.read(8))
                memory.append((address, f.read(length)))
            yield registers, memory


def stack():
    frame, out = gdb.newest_frame(), []
    while frame is not None and len(out) < LIMIT:
        kind = frame.type()
        if kind == gdb.SIGTRAMP_FRAME:
            out.append("X")
        elif kind not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            out.append("%08x" % frame.pc())
        try:
            reason, frame = frame.unwind_stop_reason(), frame.older()
            end = gdb.frame_stop_reason_string(reason)
        except gdb.error as e:  # memory that is not there
            end = str(e)
            break
    return out + [end.replace(" ", "-")]


def main():
    inferior = gdb.selected_inferior()
    connection = inferior.connection
    for registers, memory in points(os.environ["POINTS"]):
        for address, data in memory:
            inferior.write_memory(address, data)
        answer = connection.send_packet(b"G" + struct.pack("<19I", *registers).hex().encode())
        if answer != b"OK":
            raise gdb.GdbError("registers: %r" % answer)
        gdb.execute("maintenance flush register-cache", to_string=True)
        print("POINT", *stack())
    try:
        gdb.execute("kill")
    except gdb.error:  # QEMU may be gone before it has answered
        pass


main()
