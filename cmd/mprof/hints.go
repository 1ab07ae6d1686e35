package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/diff"
	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/gdbremote"
	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/gmon/tftp"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/report"
	"github.com/mprof/mprof/serve"
	"github.com/mprof/mprof/session/backtrace"
	"github.com/mprof/mprof/session/counting"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/session/tracing"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
	"github.com/mprof/mprof/trace/uart"
)

// hint says what a person can do about an error.
type hint struct {
	applies func(error) bool
	text    string
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func as[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// refusedWith is for a debug port that answers and does not do what it is told.
func refusedWith(ack probe.Ack) func(error) bool {
	return func(err error) bool {
		var refused *probe.TransferError
		return errors.As(err, &refused) && refused.Ack&^probe.Mismatch == ack
	}
}

const noAnswer = "Does the target have power, and are SWDIO, SWCLK and GND connected? A lower --speed (such as 500k) helps with long wires; firmware that sleeps or turns the SWD pins off needs --connect-under-reset."

// permissionHint is what a user must do to open a probe; docs/hardware.md says
// where that comes from.
func permissionHint(system string) string {
	switch system {
	case "linux":
		return "Your user may not open the probe. mprof list --udev prints the rule; save it as /etc/udev/rules.d/70-mprof.rules, then: sudo udevadm control --reload && sudo udevadm trigger"
	case "darwin":
		return "macOS keeps HID probes (CMSIS-DAP v1) for its own driver: sudo mprof ... takes the probe from it. Probes that speak CMSIS-DAP v2 need nothing."
	}
	return "The system does not let this user open the probe: docs/hardware.md says which driver it needs."
}

// hints is the one table of advice; errors themselves only say what happened.
var hints = []hint{
	{is(probe.ErrNotFound), "Is the probe plugged in? mprof list shows what is there. Without a probe: mprof sample --probe sim"},
	{is(probe.ErrPermission), permissionHint(runtime.GOOS)},
	{is(probe.ErrDisconnected), "The probe went away: check its cable and hub. Samples taken before that are kept."},
	{is(probe.ErrNoUSB), "Build with cgo and libusb (make build), or use the simulated board: --probe sim"},
	{is(probe.ErrBusy), "Another program has the probe open: a debugger, an IDE, another mprof. Close it first."},
	{is(probe.ErrNoReset), "Is nRESET of the target wired to the probe, and does the probe have that pin? Without it: leave --connect-under-reset out."},
	{is(probe.ErrLocked), "The chip keeps debuggers out (read-out protection, APPROTECT, a security fuse). Unlocking it usually erases the flash: that is for the vendor's tool."},
	{is(probe.ErrNoCore), "mprof info shows the access ports and cores that are there; --core N and --ap N choose."},
	{is(probe.ErrNoTarget), noAnswer},
	{refusedWith(probe.WAIT), "The target answers, but its memory is busy for good: a clock that is off or an external memory that does not answer. A reset helps; so does a lower --speed."},
	{refusedWith(probe.FAULT), "The target answers, and refuses this access: nothing is at that address, or debug access is locked (readout protection, secure state)."},
	{as[*probe.TransferError], noAnswer},
	{is(probe.ErrTimeout), "The probe stopped answering: unplug it and plug it in again."},
	{is(probe.ErrResponse), "The probe answered nonsense: plug it in again, or update its firmware. mprof probe check says what works on it."},
	{as[*cortexm.HaltedError], "Let the core run in the debugger that halted it, and detach that debugger; or let mprof do it: --resume, or --reset."},
	{as[*cortexm.HaltLimitError], "Allow a longer --max-halt, or try a higher --speed. --max-overhead bounds the halted share of the run instead."},
	{as[*symbol.MismatchError], "Flash this ELF file, or name the one that was flashed. --force samples anyway: addresses will then get the names of the wrong code."},
	{is(cortexm.ErrPCSRDenied), "Non-invasive debug must be allowed: open the debug authentication of the chip, or sample while the core is not in Secure state. --method dwarf may still work."},
	{is(diff.ErrKind), "Take both the same way: with mprof sample, or with mprof trace."},
	{is(sampling.ErrNoChain), "--method auto finds callers by call frame information, which needs no frame pointers."},
	{is(target.ErrNoUART), "docs/simulated-board.md lists the UARTs that the board has; uart=NAME chooses one, board=NAME other peripherals, clock=HZ the clock that the firmware counts on."},
	{is(export.ErrFormat), "docs/profiles.md lists what is read. Bytes of firmware that frames its packets in its own way: mprof trace --from FILE --crc NAME."},
	{as[*target.BuildError], "Name the ELF file of that build with --elf. mprof convert --force goes on all the same: addresses will then get the names of the wrong code."},
	{is(tracing.ErrNoneRead), "The notes say why. A recording of version 2 needs its beginning: the METADATA that the firmware sends when mprof asks for it."},
	{is(tracing.ErrNoCalls), "Is the code compiled with -finstrument-functions, and does it call mprof_poll? Functions that never return have no record. docs/firmware.md says what is needed."},
	{is(backtrace.ErrNoPSP), "A capture in JSON with MSP, PSP and CONTROL (docs/stack.md) or a recording of mprof has what is missing."},
	{is(backtrace.ErrNoImage), "Is it the program that the dump is of? --extra-elf names a boot loader, a ROM or another image beside it."},
	{is(export.ErrNeedsELF), "Name the program that ran on the target: --elf app.elf"},
	{is(gmon.ErrWide), "gprof of that computer reads it. mprof is for targets with addresses of 32 bits."},
	{is(backtrace.ErrNoMEPC), "A capture in JSON with mepc and mcause (docs/stack.md) has what is missing."},
	{is(counting.ErrNoBlock), "Does the program link firmware/gprof, and is it used? docs/gprof.md says what is needed."},
	{is(counting.ErrNoSymbols), "Name the ELF file as the linker wrote it, before strip."},
	{is(counters.ErrNotStarted), "Does the program come to profile_on? Its memory is given before, with profile_memory (docs/gprof.md)."},
	{as[*counters.NoRoomError], "Give profile_memory that much, or profile_on larger buckets or a smaller range."},
	{as[*counters.VersionError], "Is this the firmware of the ELF file, and has its start-up code run? firmware/gprof and mprof must be of one version."},
	{as[*counters.ResetError], "Is the timer's handler in the vector table, its interrupt enabled, and not masked for good?"},
	{is(tftp.ErrUnreachable), "Is the network of the target up, and was profile_on called after that? A firewall may keep its packets out: they come from another port than 69."},
	{is(uart.ErrNotFound), "Is the adapter plugged in? mprof list shows the serial ports. Without one: mprof trace --demo"},
	{is(uart.ErrBusy), "Close that program first: a terminal, an IDE, ModemManager, another mprof. Two readers would each get a part of the bytes."},
	{is(uart.ErrNotSerial), "--port takes a serial port, a pseudo-terminal, tcp:HOST:PORT or sim; mprof trace --from replays a file."},
	{is(uart.ErrBaud), "Choose a --baud that both the adapter and the firmware's UART can: 115200, 460800, 921600."},
	{is(target.ErrTCPPort), "Does the emulator or the port server listen there, and on this host? QEMU: -serial tcp::4000,server"},
	{as[*trace.SilentError], "Is the firmware running, is its TX wired to RX of the adapter (and the other way round), is it the right port (mprof list), and does the firmware call mprof_init and mprof_poll?"},
	{as[*trace.EchoError], "Is TX of the adapter wired to its own RX, or does a console echo what it reads? RX of the adapter belongs to TX of the firmware's UART."},
	{as[*trace.TextError], "That is a console, or another program's port: the module needs a UART that nothing else writes to, and --port must name that one (mprof list)."},
	{isWrongBaud, "Which baud rate is in the firmware's port? Try --baud 115200, 460800, 1000000, 2000000; check the clock that its UART divides."},
	{as[*trace.NoiseError], "Which protocol is this? Check --port and --baud; --crc helps if the packets are framed in a way that mprof does not try by itself."},
	{as[*trace.DeafError], "Is TX of the adapter wired to RX of the target, and does the firmware's port receive?"},
	{refusesGprof, "The firmware links firmware/mprof without firmware/mprof/optional/mprof_gprof.c, or an older one: a probe takes the counters all the same (--probe)."},
	{as[*trace.RefusedError], "Does another host use the firmware? A reset of the target helps, if it can be reached at all."},
	{as[*trace.BuildIDError], "Flash this ELF file, or name the one that was flashed. --force traces anyway: addresses will then get the names of the wrong code."},
	{is(trace.ErrLost), "Check the cable of the adapter, or whether the emulator ended."},
	{is(trace.ErrEmpty), "Was the recording made with --record, or by another host that was connected?"},
	{is(target.ErrNoServer), "Is the server running, and is it that port? Usual ones: " + target.UsualPorts() + "."},
	{as[*gdbremote.ArchError], "Name the ELF file of what runs on that target, or the port of the server that the program runs behind."},
	{is(gdbremote.ErrNoTarget), "Does the target have power, and is it wired to the probe? A Black Magic Probe looks for targets with --monitor swdp_scan, or --monitor auto_scan for JTAG, too."},
	{as[*gdbremote.ExitedError], "The program ended, or its emulator did. Start it again."},
	{isHandshake, "Is it a GDB server that listens there, and is no debugger connected to it? Servers take one at a time."},
	{is(gdbremote.ErrDisconnected), "Did the server end? Its own output may say why. Samples taken before that are kept."},
	{is(gdbremote.ErrTimeout), "Does the target run, and does the server still answer others? A slow probe or a target that sleeps deeply can keep it busy. Samples taken before that are kept. A target that is left halted runs on after another mprof or gdb has come and gone."},
	{is(gdbremote.ErrHalted), "Connect once more with gdb or mprof: both let the target run when they leave; or reset it."},
	{as[*gdbremote.RefusedError], "The server says no more than that; its own output may. docs/targets.md says what mprof needs of it."},
	{as[*serve.NotLoopbackError], "mprof serves to this machine alone. From another one, make a tunnel to its port: ssh -L PORT:127.0.0.1:PORT"},
	{as[*report.NoFunctionError], "mprof report PROFILE --top 0 lists all functions. A name that is no plain word needs quotes."},
	{as[*report.InlinedError], "--annotate shows its lines all the same. --disasm of what it is inlined into has the instructions, with its name."},
	{as[*diff.SleepError], "Recordings and profiles for the Firefox Profiler (.json.gz) or pprof that mprof wrote do. Leave --awake out, or compare those."},
	{is(report.ErrNoCode), "Name it: --elf app.elf"},
	{is(report.ErrNoContexts), "--method auto halts the core for each sample: those know the exception that runs."},
	{is(fs.ErrPermission), "Check the permissions of the file and of its folder."},
	{is(context.DeadlineExceeded), "The probe stopped answering: unplug it and plug it in again."},
}

// isHandshake is for a server that did not even say what it can do.
func isHandshake(err error) bool {
	var c *target.ConnectError
	return errors.As(err, &c) && (errors.Is(err, gdbremote.ErrTimeout) || errors.Is(err, gdbremote.ErrDisconnected) || errors.Is(err, gdbremote.ErrAnswer))
}

// refusesGprof is for firmware without the commands of mprof gmon.
func refusesGprof(err error) bool {
	var refused *trace.RefusedError
	return errors.As(err, &refused) && (refused.Command == trace.CommandGetGprof || refused.Command == trace.CommandResetGprof)
}

// isWrongBaud is for bytes such as a wrong baud rate makes.
func isWrongBaud(err error) bool {
	var noise *trace.NoiseError
	return errors.As(err, &noise) && noise.WrongBaud()
}

// portHint says how this user gets at a port.
func portHint(e *uart.PermissionError) string {
	switch {
	case e.Joined:
		return "Log out and in again: a login keeps the groups that it began with."
	case e.Group != "":
		return fmt.Sprintf("Join that group, then log out and in again: sudo usermod -aG %s $USER", e.Group)
	}
	return fmt.Sprintf("Until it is plugged in again: sudo chmod a+rw %s. A udev rule does it for good: docs/tracing.md.", e.Port)
}

func hintsFor(err error) []string {
	var port *uart.PermissionError
	if errors.As(err, &port) {
		return []string{portHint(port)}
	}
	for _, h := range hints {
		if h.applies(err) {
			return []string{h.text}
		}
	}
	return nil
}
