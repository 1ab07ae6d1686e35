package porttest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// scenario is a script for a machine and what must come of it.
type scenario struct {
	name, script string
	out, in      string // hex
	sent         int
	interrupts   int // at most; 0: any number
	registers    map[uint32]uint32
	lines        map[int]int
}

// verdict says what is wrong with an outcome, nil: nothing.
func (s scenario) verdict(o *outcome) error {
	var wrong []error
	for _, c := range o.complaints {
		wrong = append(wrong, errors.New(c))
	}
	if got := hex.EncodeToString(o.out); got != s.out {
		wrong = append(wrong, fmt.Errorf("transmitted %s, not %s", got, s.out))
	}
	if got := hex.EncodeToString(o.in); got != s.in {
		wrong = append(wrong, fmt.Errorf("received %s, not %s", got, s.in))
	}
	if o.sent != s.sent {
		wrong = append(wrong, fmt.Errorf("mprof_sent was called %d times, not %d", o.sent, s.sent))
	}
	if s.interrupts > 0 && o.interrupts > s.interrupts {
		wrong = append(wrong, fmt.Errorf("%d interrupts, not %d", o.interrupts, s.interrupts))
	}
	if s.registers != nil && !maps.Equal(o.registers, s.registers) {
		wrong = append(wrong, fmt.Errorf("registers %08x, not %08x", o.registers, s.registers))
	}
	if s.lines != nil && !maps.Equal(o.lines, s.lines) {
		wrong = append(wrong, fmt.Errorf("interrupts and priorities %v, not %v", o.lines, s.lines))
	}
	return errors.Join(wrong...)
}

// packet is n bytes, each its place.
func packet(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i + 1)
	}
	return hex.EncodeToString(b)
}

// scenarios of every port: bytes in order, one call of mprof_sent for each
// packet, also where the next packet comes from it; what arrives; overruns.
var everyPort = []scenario{
	{name: "packet", script: "init\nsend 0x20000105 " + packet(100) + "\nsteps 110\n", out: packet(100), sent: 1},
	{name: "one byte", script: "init\nsend 0x24000000 a5\nsteps 5\n", out: "a5", sent: 1},
	{name: "four in a row", script: "init\nnext 0x24001000 " + packet(3) + "\nnext 0x20000040 " + packet(64) + "\nnext 0x24001003 ee\nsend 0x24000000 010203\nsteps 90\n",
		out: packet(3) + packet(3) + packet(64) + "ee", sent: 4},
	{name: "later", script: "init\nsend 0x24000000 01\nsteps 9\nsend 0x24000000 02\nsteps 9\n", out: "0102", sent: 2},
	{name: "receive", script: "init\nrx 55aa0100022503ffee0a\n", in: "55aa0100022503ffee0a"},
	{name: "both ways", script: "init\nsend 0x24000000 " + packet(40) + "\nrx 55aa0100\nsteps 3\nrx 0a\nsteps 50\n", out: packet(40), in: "55aa01000a", sent: 1},
	{name: "before the start", script: "rx 0102\ninit\nrx 03\n", in: "03"},
}

// overrun: of bytes that nobody fetched the first stay, and what comes later
// arrives again. How many stay is the UART's.
func overrun(first string) []scenario {
	return []scenario{
		{name: "overrun", script: "init\nburst 0102030405\nrx 0607\n", in: first + "0607"},
		{name: "overrun while sending", script: "init\nsend 0x24000000 " + packet(20) + "\nburst 0102030405\nsteps 40\nrx 06\nburst 0708\nrx 09\n",
			out: packet(20), in: first + "0607" + second(first) + "09", sent: 1},
	}
}

// second is what stays of a second byte behind one that nobody fetched.
func second(first string) string {
	if len(first) > 2 {
		return "08"
	}
	return ""
}

// stm32Receiving: errors on the line of a USART, and what a boot loader left.
var stm32Receiving = []scenario{
	{name: "framing error", script: "init\nrx 01\nrx 02 f\nrx 03\n", in: "0103"},
	{name: "noise", script: "init\nrx 01\nrx 02 n\nrx 03\n", in: "010203"},
	{name: "overrun without a byte", script: "init\nfault ore 0\nsteps 1\nrx 01\nrx 02\n", in: "0102"},
	{name: "left by a boot loader", script: "fault boot\ninit\nrx 02\n", in: "02"},
}

// dmaSending: what only a stream does. An interrupt for each packet, errors of
// the stream at the first byte, in the middle and at the last, and a stream
// that does not stop.
func dmaSending(memory string) []scenario {
	list := []scenario{
		{name: "one interrupt a packet", script: "init\nnext " + memory + " " + packet(500) + "\nsend " + memory + " " + packet(500) + "\nsteps 1010\n",
			out: packet(500) + packet(500), sent: 2, interrupts: 2},
		{name: "4105 bytes", script: "init\nsend " + memory + " " + packet(4105) + "\nsteps 4120\n", out: packet(4105), sent: 1, interrupts: 1},
		{name: "flags left", script: "init\nfault left 0\nsend " + memory + " " + packet(9) + "\nsteps 12\n", out: packet(9), sent: 1},
		{name: "FIFO flag", script: "init\nfault fe 3\nnext 0x24000200 0a0b\nsend " + memory + " " + packet(9) + "\nsteps 5\nrx 01\nsteps 12\n", out: packet(9) + "0a0b", in: "01", sent: 2},
		{name: "stream left running", script: "fault running 0\ninit\nsteps 3\nsend " + memory + " " + packet(9) + "\nsteps 12\n", out: packet(9), sent: 1},
		{name: "stuck", script: "init\nfault stuck 3\nsend " + memory + " " + packet(9) + "\nsteps 20\n", out: packet(9), sent: 1},
	}
	for _, fault := range []string{"te", "fe"} {
		for _, at := range []int{0, 1, 19} {
			list = append(list, scenario{name: fmt.Sprintf("%s at %d", fault, at),
				script: fmt.Sprintf("init\nfault %s %d\nsend %s %s\nsteps 40\nsend %s ff\nsteps 4\n", fault, at, memory, packet(20), memory),
				out:    packet(20) + "ff", sent: 2})
		}
	}
	return list
}

// cached: a packet that the core wrote and that is still in its data cache, at
// any place in a line.
func cached(memory uint32) (list []scenario) {
	for _, n := range []int{1, 31, 32, 33, 64, 200} {
		for _, offset := range []uint32{0, 1, 31} {
			list = append(list, scenario{name: fmt.Sprintf("%d cached bytes at %d", n, offset),
				script: fmt.Sprintf("cache 1\npoke 0xE000ED14 0x10000\ninit\nsend 0x%08x %s\nsteps %d\n", memory+offset, packet(n), n+8),
				out:    packet(n), sent: 1})
		}
	}
	return list
}

// struck: an interrupt at every moment of sending and polling, with a byte that
// has just arrived.
func struck() (list []scenario) {
	for n := 1; n <= 80; n++ {
		list = append(list, scenario{name: fmt.Sprintf("struck at %d", n),
			script: fmt.Sprintf("init\nnext 0x24000100 %s\nstrike %d\nsend 0x24000000 %s\n%ssteps 40\nsend 0x24000200 ff\nsteps 5\npoll\nsteps 3\npoll\nstruck\npoll\nrx 01\npoll\n",
				packet(7), n, packet(20), strings.Repeat("steps 1\npoll\n", 20)),
			out: packet(20) + packet(7) + "ff", in: "5a01", sent: 3})
	}
	return list
}

func all(lists ...[]scenario) (joined []scenario) {
	for _, l := range lists {
		joined = append(joined, l...)
	}
	return joined
}

// polling has every step of time followed by a call of mprof_poll, as by a
// main loop.
func polling(list []scenario) (with []scenario) {
	for _, s := range list {
		var script strings.Builder
		for line := range strings.Lines(s.script) {
			verb, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch verb {
			case "steps":
				n, _ := strconv.Atoi(rest)
				script.WriteString(strings.Repeat("poll\nsteps 1\n", n))
			case "rx":
				for ; len(rest) > 0; rest = rest[2:] {
					script.WriteString("rx " + rest[:2] + "\npoll\n")
				}
			default:
				script.WriteString(line + "poll\n")
			}
		}
		s.script, s.interrupts = script.String(), 0
		with = append(with, s)
	}
	return with
}

// verdicts runs scenarios, each on a machine that was just switched on. An
// error is one that never ended, or where an interrupt did not.
func verdicts(program string, list []scenario) ([]error, error) {
	var scripts []string
	for _, s := range list {
		scripts = append(scripts, s.script)
	}
	outcomes, err := run(program, scripts)
	if err != nil {
		return nil, err
	}
	wrong := make([]error, len(list))
	for i, s := range list {
		wrong[i] = s.verdict(outcomes[i])
	}
	return wrong, nil
}
