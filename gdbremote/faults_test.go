package gdbremote

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mprof/mprof/gdbremote/stubtest"
	"github.com/mprof/mprof/snapshot"
)

// brisk is the patience of tests in which answers do not come.
const brisk = time.Second

// faulty connects to a server whose faults begin after that. Where answers do not come, the test has Client.timeout
// be brisk.
func faulty(t *testing.T, is stubtest.Personality, list ...stubtest.Fault) (*Client, *stubtest.Core, *stubtest.Stub) {
	t.Helper()
	core := simulated(snapshot.CortexM)
	stub := stubtest.New(core, is, list...)
	return connectTo(t, stub, server{}), core, stub
}

var acknowledging = stubtest.QEMU(snapshot.CortexM)

// Whatever happens to one answer, the requests after it get their own: an error is
// an error, never the value of something else.
func TestLostAnswers(t *testing.T) {
	var all sync.WaitGroup
	defer all.Wait()
	for _, is := range []stubtest.Personality{stubtest.OpenOCD(), acknowledging, stubtest.Bare(snapshot.CortexM), stubtest.Renode(snapshot.CortexM), stubtest.BlackMagic()} {
		s := server{is: is}
		if is.NeedsAttach {
			s.o = Options{Monitor: []string{"swdp_scan"}, Attach: "1"}
		}
		for _, f := range []stubtest.Fault{
			{Do: stubtest.Drop}, {Do: stubtest.Twice}, {Do: stubtest.Late}, {Do: stubtest.Damage}, {Do: stubtest.DamageIt},
			{Do: stubtest.Answer, Text: "nonsense"}, {Do: stubtest.Answer, Text: "0"}, {Do: stubtest.Before, Text: "T05thread:01;"},
			{Do: stubtest.Before, Text: "O48690a"}, {Do: stubtest.Slow, For: brisk * 3 / 2}, {Do: stubtest.Ignore},
		} {
			for _, on := range []string{"g", fmt.Sprintf("m%x", ramAt)} {
				f, s := f, s
				f.On, f.Nth = on, 3
				s.o.Timeout = brisk
				if s.harmless(f) {
					s.o.Timeout = time.Minute
				}
				all.Go(func() { // they wait, more than they work
					t.Run(fmt.Sprintf("%s %s %d %s", is.Name, on, f.Do, f.Text), func(t *testing.T) { s.survives(t, f) })
				})
			}
		}
	}
}

// A server that is away again and again, for longer than it takes to give up a question and the questions of settle
// after it, answers them all when it is back: no answer is taken for that to another question. (Of a server without
// a description nothing can be asked whose answer shows that.)
func TestLongStalls(t *testing.T) {
	var all sync.WaitGroup
	defer all.Wait()
	for _, is := range []stubtest.Personality{stubtest.OpenOCD(), acknowledging, stubtest.Renode(snapshot.CortexM)} {
		for seed := range uint64(16) {
			random := rand.New(rand.NewPCG(seed, 1))
			s := server{is: is, o: Options{Timeout: brisk / 5}}
			var list []stubtest.Fault
			for nth := 16 + random.IntN(5); nth < 60; nth += 1 + random.IntN(6) {
				list = append(list, stubtest.Fault{Nth: nth, Do: stubtest.Slow, For: s.o.Timeout * time.Duration(random.IntN(25)) / 10})
			}
			all.Go(func() {
				t.Run(fmt.Sprint(is.Name, " ", seed), func(t *testing.T) { s.survives(t, list...) })
			})
		}
	}
}

// harmless tells the faults over which nothing may be lost.
func (s server) harmless(f stubtest.Fault) bool {
	noAck := strings.Contains(s.is.Features, "QStartNoAckMode+")
	return f.Do == stubtest.Before || (f.Do == stubtest.DamageIt || f.Do == stubtest.Ignore) && !noAck && !s.is.QEMUQueries
}

// survives reads the same again and again, over a fault.
func (s server) survives(t *testing.T, list ...stubtest.Fault) {
	core := simulated(snapshot.CortexM)
	c := connectTo(t, stubtest.New(core, s.is, list...), s)
	failures, last := 0, time.Now()
	for good := 0; good < 6; {
		if time.Since(last) > time.Minute {
			t.Fatal("it does not get in step again")
		}
		stop, err := c.Halt(t.Context())
		if errors.Is(err, ErrTimeout) {
			continue // a busy machine
		}
		if err != nil {
			t.Fatal(err)
		}
		regs, memory, err := c.Registers(t.Context(), nil, []Window{{ramAt, 64}})
		if err != nil {
			t.Log(err)
			failures++
			continue
		}
		n := uint32(core.Halts())
		for r := snapshot.R0; r <= snapshot.XPSR; r++ {
			if v, ok := regs.Value(r); !ok || v != pattern(r, n) {
				t.Fatalf("%v is 0x%08x (%v) after %v, %d failures", r, v, ok, stop, failures)
			}
		}
		if string(memory[0]) != string(words(n)[:64]) {
			t.Fatalf("memory %x", memory[0])
		}
		good++
		if err := c.Resume(t.Context()); errors.Is(err, ErrTimeout) {
			continue // a busy machine
		} else if err != nil {
			t.Fatal(err)
		}
		if !s.is.KeepsInterrupt { // it may be halted again by one that came late
			awaitRunning(t, core)
		}
	}
	if failures > 0 && !slices.ContainsFunc(list, func(f stubtest.Fault) bool { return !s.harmless(f) }) {
		t.Errorf("%d failures", failures)
	}
	err := c.Detach(t.Context())
	if len(list) > 1 && errors.Is(err, ErrTimeout) && errors.Is(err, ErrHalted) {
		return // it is away once more, which is said
	}
	if err != nil {
		t.Error(err)
	}
	awaitRunning(t, core)
}

// A part that is refused is missing, and the others are there.
func TestRefusedParts(t *testing.T) {
	window := fmt.Sprintf("m%x", ramAt)
	c, core, stub := faulty(t, stubtest.OpenOCD(), stubtest.Fault{On: window, Nth: 1, Do: stubtest.Answer, Text: "E01"},
		stubtest.Fault{On: "p11", Do: stubtest.Answer, Text: "E0e"}, stubtest.Fault{On: window, Nth: 2, Do: stubtest.Answer, Text: "0102"})
	read := func() (snapshot.Registers, [][]byte) {
		regs, memory, err := c.Registers(t.Context(), armExtra, []Window{{ramAt, 16}, {ramAt + 4, 8}})
		if err != nil {
			t.Fatal(err)
		}
		return regs, memory
	}
	regs, memory := read()
	if memory[0] != nil || len(memory[1]) != 8 {
		t.Errorf("%d and %d bytes", len(memory[0]), len(memory[1]))
	}
	_, msp := regs.Value(snapshot.MSP)
	psp, hasPSP := regs.Value(snapshot.PSP)
	if msp || !hasPSP || psp != pattern(snapshot.PSP, uint32(core.Halts())) || c.Has(snapshot.MSP) {
		t.Errorf("MSP %v, PSP 0x%x", msp, psp)
	}
	asked := len(stub.Requests())
	_, memory = read()
	if string(memory[0]) != "\x01\x02" {
		t.Errorf("%x", memory[0])
	}
	for _, r := range stub.Requests()[asked:] {
		if r == "p11" {
			t.Error("asked again what was refused")
		}
	}
}

// Registers that are not available are missing, and no zeros.
func TestUnavailable(t *testing.T) {
	answer := strings.Repeat("xxxxxxxx", 5) + strings.Repeat("01000000", 12)
	c, _, _ := faulty(t, stubtest.OpenOCD(), stubtest.Fault{On: "g", Nth: 2, Do: stubtest.Answer, Text: answer})
	regs, _, err := c.Registers(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for r := snapshot.R0; r <= snapshot.XPSR; r++ {
		if v, ok := regs.Value(r); ok != (r >= 5) || ok && v != 1 {
			t.Errorf("%v: %d, %v", r, v, ok)
		}
	}
}

// A halt that does not come is an error, and can be tried again.
func TestHaltIgnored(t *testing.T) {
	for _, is := range []stubtest.Personality{stubtest.OpenOCD(), stubtest.JLink()} {
		list := []stubtest.Fault{{On: stubtest.Interrupt, Nth: 1, Do: stubtest.Ignore}, {On: stubtest.Interrupt, Nth: 2, Do: stubtest.Ignore}}
		c, core, _ := faulty(t, is, list...)
		if err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		awaitRunning(t, core)
		c.timeout = brisk
		if _, err := c.Halt(t.Context()); !errors.Is(err, ErrTimeout) || c.Halted() {
			t.Fatal(err)
		}
		c.timeout = time.Minute
		stop, err := c.Halt(t.Context())
		if err != nil || stop.Already || stop.Signal != is.Signal {
			t.Fatalf("%+v, %v", stop, err)
		}
		server{}.check(t, c, core)
	}
}

// A halt that was given up is finished by what comes next: Detach leaves the target
// running all the same.
func TestHaltCancelled(t *testing.T) {
	for _, is := range []stubtest.Personality{stubtest.OpenOCD(), stubtest.JLink(), stubtest.PyOCD()} {
		c, core, _ := faulty(t, is, stubtest.Fault{On: stubtest.Interrupt, Nth: 1, Do: stubtest.Slow, For: brisk / 4})
		if err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		awaitRunning(t, core)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := c.Halt(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if err := c.Detach(t.Context()); err != nil {
			t.Error(err)
		}
		awaitRunning(t, core)
	}
}

// A halt that is given up and asked for again sends a second interrupt, to a target that stands already. OpenOCD
// keeps it, and halts the target behind the next resume: Detach leaves it running all the same.
func TestInterruptedTwice(t *testing.T) {
	for halts := range 3 {
		c, core, stub := faulty(t, stubtest.OpenOCD(), stubtest.Fault{On: stubtest.Interrupt, Nth: 1, Do: stubtest.Slow, For: brisk / 4})
		given, up := context.WithCancel(t.Context())
		up()
		if err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := c.Halt(given); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		for range halts {
			if _, err := c.Halt(t.Context()); err != nil {
				t.Fatal(err)
			}
			server{}.check(t, c, core)
			if err := c.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Detach(t.Context()); err != nil || c.LeftBy() != "vCont;c and D" {
			t.Errorf("%v, left by %q", err, c.LeftBy())
		}
		awaitRunning(t, core)
		sent := 0
		for _, r := range stub.Requests() {
			if r == stubtest.Interrupt {
				sent++
			}
		}
		if sent > 1 && core.Halts() < 2 {
			t.Errorf("none of %d interrupts was kept", sent)
		}
	}
}

// A resume that the server refuses is told at the next halt, and the target stands.
func TestResumeRefused(t *testing.T) {
	for _, text := range []string{"E01", ""} {
		c, _, _ := faulty(t, stubtest.OpenOCD(), stubtest.Fault{On: "vCont;c", Nth: 1, Do: stubtest.Answer, Text: text})
		if err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err := c.Halt(t.Context())
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Packet != "vCont;c" || !c.Halted() {
			t.Fatal(err)
		}
		if err := c.Resume(t.Context()); err != nil || (c.resumedBy == "c") != (text == "") {
			t.Errorf("%v, by %s", err, c.resumedBy)
		}
	}
}

// A target that asks for files is answered, also while nobody waits.
func TestFileRequests(t *testing.T) {
	c, core, stub := faulty(t, stubtest.JLink(), stubtest.Fault{On: stubtest.Interrupt, Nth: 1, Do: stubtest.Before, Text: "Fwrite,1,20000000,1f"})
	if err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitRunning(t, core)
	if _, err := c.Halt(t.Context()); err != nil {
		t.Fatal(err)
	}
	server{}.check(t, c, core)
	all := strings.Join(stub.Requests(), " ")
	if c.FileRequests() != 1 || !strings.Contains(all, "F-1,4,C") {
		t.Errorf("%d, %s", c.FileRequests(), all)
	}
	for request, want := range map[string]string{"Fwrite,1,20000000,1f": "F1f", "Fopen,20000000/5,0,1b6": "F-1,270f", "Fwrite,1": "F-1,270f", "Fgettimeofday,0,0": "F-1,270f"} {
		if got := answerFileRequest([]byte(request), false); !isFileRequest([]byte(request)) || string(got) != want {
			t.Errorf("%s: %s", request, got)
		}
	}
	for _, p := range []string{"FFFFFFFF", "F0", "", "F", "Frobnicate,1"} {
		if isFileRequest([]byte(p)) {
			t.Errorf("%q", p)
		}
	}
}

// The end of the connection and of the target are errors that say so.
func TestEnds(t *testing.T) {
	for _, f := range []stubtest.Fault{{On: "g", Nth: 2, Do: stubtest.Cut}, {On: fmt.Sprintf("m%x", ramAt), Do: stubtest.Cut}} {
		c, _, _ := faulty(t, stubtest.OpenOCD(), f)
		_, _, err := c.Registers(t.Context(), nil, []Window{{ramAt, 64}})
		if !errors.Is(err, ErrDisconnected) {
			t.Error(err)
		}
		if _, err := c.Halt(t.Context()); !errors.Is(err, ErrDisconnected) && err != nil {
			t.Error(err)
		}
		if err := c.Detach(t.Context()); !errors.Is(err, ErrDisconnected) || !errors.Is(err, ErrHalted) {
			t.Error(err)
		}
	}
	c, core, _ := faulty(t, stubtest.JLink(), stubtest.Fault{On: stubtest.Interrupt, Do: stubtest.Answer, Text: "W2a"})
	if err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitRunning(t, core)
	var ended *ExitedError
	if _, err := c.Halt(t.Context()); !errors.As(err, &ended) || !strings.Contains(err.Error(), "0x2a") {
		t.Error(err)
	}
	if err := c.Detach(t.Context()); err != nil || !strings.Contains(c.LeftBy(), "ended") {
		t.Errorf("%v %q", err, c.LeftBy())
	}
}

// A server that hangs is a time-out in every operation, and a connection that takes
// nothing is given up.
func TestHangs(t *testing.T) {
	c, _, _ := faulty(t, stubtest.OpenOCD(), stubtest.Fault{On: "g", Nth: 2, Do: stubtest.Hang})
	c.timeout = brisk
	for range 3 {
		if _, _, err := c.Registers(t.Context(), nil, nil); !errors.Is(err, ErrTimeout) {
			t.Error(err)
		}
	}
	if err := c.Detach(t.Context()); !errors.Is(err, ErrTimeout) || !errors.Is(err, ErrHalted) {
		t.Error(err)
	}
	ours, theirs := net.Pipe() // nobody reads
	defer ours.Close()
	if _, err := Connect(t.Context(), theirs, Options{Timeout: brisk}); !errors.Is(err, ErrDisconnected) {
		t.Error(err)
	}
}

// TestDetachAnsweredByNonsense: the last word to a target is to run, also where the
// server's answer to D says nothing. Nobody knows whether a server that garbled its
// answer has let go.
func TestDetachAnsweredByNonsense(t *testing.T) {
	for _, f := range []stubtest.Fault{{Do: stubtest.Answer, Text: "what?"}, {Do: stubtest.Damage}, {Do: stubtest.Ignore}} {
		f.On = "D"
		c, core, _ := faulty(t, stubtest.JLink(), f)
		c.timeout = brisk
		if err := c.Detach(t.Context()); c.LeftBy() == "D" || err != nil && (f.Do != stubtest.Damage || !errors.Is(err, ErrHalted)) {
			t.Errorf("%+v: left by %q, %v", f, c.LeftBy(), err)
		}
		awaitRunning(t, core)
	}
}
