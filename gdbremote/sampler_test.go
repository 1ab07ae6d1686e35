package gdbremote

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/gdbremote/stubtest"
	"github.com/mprof/mprof/snapshot"
)

// The program of these tests has a main stack and one of a task. Each run leaves the
// stack pointer elsewhere, and its number in all words from there to the stack's end.
const (
	mainTop = ramAt + 0x1000
	taskTop = ramAt + 0x2000
)

type stackProgram struct {
	n       uint32
	random  *rand.Rand
	handler bool // what runs is a handler on the main stack, which interrupted the task
	deepest uint32
}

func (p *stackProgram) run(c *stubtest.Core) {
	p.n++
	sp, top := p.random.Uint32N(p.deepest/4)*4+4, uint32(mainTop)
	if p.random.IntN(4) == 0 {
		top = taskTop
	}
	sp = top - sp
	xpsr := uint32(0)
	c.Set(snapshot.MSP, mainTop-16)
	c.Set(snapshot.PSP, taskTop-64)
	if p.handler && top == mainTop {
		xpsr = 15
		p.write(c, taskTop-64, taskTop)
	}
	c.Set(snapshot.SP, sp)
	c.Set(snapshot.X0+2, sp)
	c.Set(snapshot.PC, p.n)
	c.Set(snapshot.XPSR, xpsr)
	p.write(c, sp, top)
}

func (p *stackProgram) write(c *stubtest.Core, low, high uint32) {
	for ; low < high; low += 4 {
		c.Store(low, binary.LittleEndian.AppendUint32(nil, p.n))
	}
}

func newStackProgram(arch snapshot.Arch, p *stackProgram) *stubtest.Core {
	p.random = rand.New(rand.NewPCG(1, 2))
	core := stubtest.NewCore(arch, p.run)
	core.Map(ramAt, make([]byte, taskTop-ramAt))
	return core
}

// ticking is a clock that goes on by a step with every look at it: what a sample costs
// is so many looks.
type ticking struct{ now, step time.Duration }

func (c *ticking) Now() time.Duration { c.now += c.step; return c.now }

func (c *ticking) Sleep(ctx context.Context, d time.Duration) error {
	c.now += max(0, d)
	return ctx.Err()
}

func newTestSampler(t *testing.T, c *Client, o SampleOptions) *Sampler {
	t.Helper()
	if o.Rate == 0 {
		o.Rate = 100
	}
	if o.Clock == nil {
		o.Clock = &ticking{step: 100 * time.Microsecond}
	}
	s, err := NewSampler(c, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// learnAll is an unwinder that reads every stack to its end.
func learnAll(s *Sampler, sp *snapshot.Snapshot, handler bool) {
	at, ok := sp.Regs.Value(snapshot.SP)
	if !ok {
		at, _ = sp.Regs.Value(snapshot.X0 + 2)
	}
	top := uint32(mainTop)
	if at >= mainTop {
		top = taskTop
	}
	used := []Range{{at, top}}
	if handler {
		if xpsr, _ := sp.Regs.Value(snapshot.XPSR); xpsr != 0 {
			used = append(used, Range{taskTop - 64, taskTop})
		}
	}
	s.Learn(sp, used)
}

// holds tells whether the snapshot has all words of a range, and that they are of the
// moment of its registers.
func holds(t *testing.T, sp *snapshot.Snapshot, low, high uint32) bool {
	t.Helper()
	pc, _ := sp.Regs.Value(snapshot.PC)
	for ; low < high; low += 4 {
		switch v, ok := sp.Word(low); {
		case !ok:
			return false
		case v != pc:
			t.Fatalf("sample %d: 0x%08x holds %d, the registers are of run %d", sp.Seq, low, v, pc)
		}
	}
	return true
}

// TestSamplerServers: with every server, registers and stack are of one moment, the
// stack is whole after the first few samples, and the core runs afterwards.
func TestSamplerServers(t *testing.T) {
	for _, server := range servers() {
		t.Run(server.is.Name+" "+server.arch.String(), func(t *testing.T) {
			p := &stackProgram{deepest: 600}
			core := newStackProgram(server.arch, p)
			server.o.Arch, server.o.Timeout = server.arch, time.Minute
			c := connectTo(t, stubtest.New(core, server.is), server)
			s := newTestSampler(t, c, SampleOptions{Seed: 3})
			const samples = 200
			whole := 0
			var ran time.Duration
			for i := range samples {
				sp, err := s.Next(t.Context())
				if err != nil || sp.Miss != snapshot.Taken || sp.Seq != uint64(i) || sp.Halted <= 0 {
					t.Fatalf("sample %d: %+v, %v", i, sp, err)
				}
				awaitRunning(t, core)
				at, ok := sp.Regs.Value(snapshot.SP)
				if !ok {
					at, _ = sp.Regs.Value(snapshot.X0 + 2)
				}
				top := uint32(mainTop)
				if at >= mainTop {
					top = taskTop
				}
				if holds(t, sp, at, top) {
					whole++
				}
				for _, w := range sp.Windows {
					if w.Addr < at {
						t.Fatalf("window at 0x%08x below SP 0x%08x", w.Addr, at)
					}
				}
				learnAll(s, sp, false)
				ran += sp.Weight
			}
			if whole < samples-4 {
				t.Errorf("%d of %d stacks whole", whole, samples)
			}
			st := s.Stats()
			if st.Taken != samples || st.Asked != samples || ran <= 0 || ran+st.HaltedTotal > s.clock.Now()-s.start {
				t.Errorf("%+v, ran %v", st, ran)
			}
			if c.pipelines && st.AtOnce < wayLessons || !c.pipelines && st.AtOnce > 0 {
				t.Errorf("%d samples in one exchange, %s", st.AtOnce, st.Plan)
			}
		})
	}
}

// TestSamplerHandler: the stack of what a handler interrupted is read, too, where the
// server tells PSP.
func TestSamplerHandler(t *testing.T) {
	for _, is := range []stubtest.Personality{stubtest.OpenOCD(), stubtest.PyOCD(), stubtest.QEMU(snapshot.CortexM)} {
		p := &stackProgram{deepest: 600, handler: true}
		c := connectTo(t, stubtest.New(newStackProgram(snapshot.CortexM, p), is), server{o: Options{Timeout: time.Minute}})
		s := newTestSampler(t, c, SampleOptions{StackTops: []uint32{mainTop}})
		handlers, both := 0, 0
		for range 200 {
			sp, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if xpsr, _ := sp.Regs.Value(snapshot.XPSR); xpsr != 0 {
				handlers++
				at, _ := sp.Regs.Value(snapshot.SP)
				if holds(t, sp, at, mainTop) && holds(t, sp, taskTop-64, taskTop) {
					both++
				}
			}
			learnAll(s, sp, c.Has(snapshot.PSP))
		}
		if want := handlers - 4; handlers == 0 || c.Has(snapshot.PSP) && both < want {
			t.Errorf("%s: both stacks of %d of %d handlers", is.Name, both, handlers)
		}
	}
}

// TestSamplerDearRegisters: where every request waits for its answer, registers that
// unwinding never needs are asked for no more.
func TestSamplerDearRegisters(t *testing.T) {
	is := stubtest.OpenOCD()
	is.Features = strings.ReplaceAll(is.Features, "QStartNoAckMode+;", "")
	stub := stubtest.New(newStackProgram(snapshot.CortexM, &stackProgram{deepest: 64}), is)
	c := connectTo(t, stub, server{o: Options{Timeout: time.Minute}})
	s := newTestSampler(t, c, SampleOptions{Needs: func(r snapshot.Reg) bool { return r == snapshot.PSP }})
	for range 2 * extraLessons {
		sp, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		learnAll(s, sp, false)
	}
	asked := map[string]int{}
	for _, r := range stub.Requests() {
		asked[r]++
	}
	if msp, psp := asked["p11"], asked["p12"]; msp < extraLessons || msp > extraLessons+1 || psp < 2*extraLessons {
		t.Errorf("MSP was asked for %d times, PSP %d times: %v", msp, psp, asked)
	}
}

// TestSamplerBudget: the halted share stays within MaxOverhead, and the samples come at
// random moments.
func TestSamplerBudget(t *testing.T) {
	c := connectTo(t, stubtest.New(newStackProgram(snapshot.CortexM, &stackProgram{deepest: 64}), stubtest.OpenOCD()), server{o: Options{Timeout: time.Minute}})
	clock := &ticking{step: time.Millisecond}
	s := newTestSampler(t, c, SampleOptions{Rate: 200, MaxOverhead: 0.05, Clock: clock, Duration: 20 * time.Second, RegistersOnly: true})
	var weights []time.Duration
	for {
		sp, err := s.Next(t.Context())
		if err == io.EOF {
			break
		}
		if err != nil || len(sp.Windows) > 0 {
			t.Fatalf("%+v, %v", sp, err)
		}
		weights = append(weights, sp.Weight)
	}
	st := s.Stats()
	if share := float64(st.HaltedTotal) / float64(20*time.Second); share > 0.055 || share < 0.03 {
		t.Errorf("halted %.3f of the time, %+v", share, st)
	}
	slices.Sort(weights)
	if low, high := weights[len(weights)/10], weights[len(weights)*9/10]; float64(high) < 1.5*float64(low) {
		t.Errorf("no jitter: a tenth of the intervals below %v, a tenth above %v", low, high)
	}
	if st.Delayed == 0 || st.Plan != "registers only" {
		t.Errorf("%+v", st)
	}
}

// TestSamplerStops: a target that stops by itself is missed, let run, and sampled
// again.
func TestSamplerStops(t *testing.T) {
	for _, is := range []stubtest.Personality{stubtest.OpenOCD(), stubtest.QEMU(snapshot.CortexM), stubtest.NonStop(snapshot.CortexM)} {
		core := newStackProgram(snapshot.CortexM, &stackProgram{deepest: 64})
		c := connectTo(t, stubtest.New(core, is), server{o: Options{Timeout: time.Minute}})
		s := newTestSampler(t, c, SampleOptions{})
		missed := 0
		for i := range 40 {
			if i >= 20 && i < 25 {
				awaitRunning(t, core)
				core.Stop(SignalTrap)
				time.Sleep(20 * time.Millisecond) // it is under way
			}
			sp, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(is.Name, err)
			}
			if sp.Miss == snapshot.Stopped && sp.State&snapshot.AlreadyHalted != 0 {
				missed++
			} else if sp.Miss != snapshot.Taken {
				t.Errorf("%s: sample %d: %v", is.Name, i, sp.Miss)
			}
			awaitRunning(t, core)
		}
		// The stop may be under way still when the interrupt is.
		if missed == 0 || missed > 5 {
			t.Errorf("%s: %d missed", is.Name, missed)
		}
		var kinds []string
		for _, e := range s.Events() {
			kinds = append(kinds, e.Kind)
		}
		if len(kinds) == 0 || kinds[0] != EventFoundStopped {
			t.Errorf("%s: events %v", is.Name, kinds)
		}
	}
}

// TestSamplerFaults: what fails now and then costs samples; what fails for good ends
// the run with its cause, at once where there never was a sample.
func TestSamplerFaults(t *testing.T) {
	for _, f := range []struct {
		name  string
		fault stubtest.Fault
		miss  snapshot.Miss
		ends  error // nil: the run goes on
	}{
		{"a refusal", stubtest.Fault{On: "g", Nth: 5, Do: stubtest.Answer, Text: "E0e"}, snapshot.Refused, nil},
		{"nonsense", stubtest.Fault{On: "g", Nth: 5, Do: stubtest.Answer, Text: "12345"}, snapshot.BadResponse, nil},
		{"a lost answer", stubtest.Fault{On: "g", Nth: 5, Do: stubtest.Drop}, snapshot.ServerTimeout, nil},
		{"never stops", stubtest.Fault{On: stubtest.Interrupt, Do: stubtest.Ignore}, snapshot.ServerTimeout, ErrTimeout},
		{"silent", stubtest.Fault{On: "g", Nth: 9, Do: stubtest.Hang}, snapshot.ServerTimeout, ErrTimeout},
		{"cut", stubtest.Fault{On: "g", Nth: 9, Do: stubtest.Cut}, snapshot.ServerGone, ErrDisconnected},
		{"ended", stubtest.Fault{On: "g", Nth: 9, Do: stubtest.Before, Text: "W00"}, snapshot.OffTarget, &ExitedError{}},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel() // they wait
			core := newStackProgram(snapshot.CortexM, &stackProgram{deepest: 64})
			c, err := Connect(t.Context(), stubtest.New(core, stubtest.OpenOCD(), f.fault).Conn(t), Options{Timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			c.timeout = brisk
			s := newTestSampler(t, c, SampleOptions{})
			missed, taken := 0, 0
			for range 30 {
				sp, err := s.Next(t.Context())
				if err != nil {
					if f.ends == nil || !errors.Is(err, f.ends) && !sameType(err, f.ends) {
						t.Fatalf("the run ends with %v", err)
					}
					if missed == 0 {
						t.Error("no sample says why")
					}
					return
				}
				switch sp.Miss {
				case snapshot.Taken:
					taken++
				case f.miss:
					missed++
				default:
					t.Fatalf("sample %d: %v, want %v", sp.Seq, sp.Miss, f.miss)
				}
			}
			if f.ends != nil || missed != 1 || taken != 29 {
				t.Errorf("%d missed, %d taken; the run goes on", missed, taken)
			}
			awaitRunning(t, core)
		})
	}
}

func sameType(err, want error) bool {
	switch want.(type) {
	case *ExitedError:
		return errors.As(err, new(*ExitedError))
	}
	return false
}

// TestSamplerReconnects: a connection that is lost in the middle of a sample is made
// anew, and the target runs on; one that nobody makes anew ends the run.
func TestSamplerReconnects(t *testing.T) {
	core := newStackProgram(snapshot.CortexM, &stackProgram{deepest: 64})
	address := stubtest.New(core, stubtest.OpenOCD(), stubtest.Fault{On: "g", Nth: 12, Do: stubtest.Cut}).Listen(t)
	tries := 0
	dial := func(ctx context.Context) (*Client, error) {
		if tries++; tries == 2 {
			return nil, &net.OpError{Op: "dial", Err: errors.New("nobody is there")}
		}
		conn, err := Dial(ctx, address)
		if err != nil {
			return nil, err
		}
		return Connect(ctx, conn, Options{Timeout: time.Minute})
	}
	c, err := dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := newTestSampler(t, c, SampleOptions{Reconnect: dial})
	taken, gone := 0, 0
	for range 40 {
		sp, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch sp.Miss {
		case snapshot.Taken:
			taken++
		case snapshot.ServerGone:
			gone++
		default:
			t.Fatal(sp.Miss)
		}
	}
	st := s.Stats()
	if taken != 38 || gone != 2 || st.Reconnects != 1 || s.Client() == c {
		t.Errorf("%d taken, %d gone, %+v", taken, gone, st)
	}
	events := s.Events()
	if len(events) != 2 || events[0].Kind != EventServerLost || events[1].Kind != EventBack {
		t.Errorf("events %+v", events)
	}
	if err := s.Client().Detach(t.Context()); err != nil {
		t.Error(err)
	}
	awaitRunning(t, core)
}

// TestSamplerCancelled: the end of ctx ends a wait for a sample, and one for a server
// that hangs.
func TestSamplerCancelled(t *testing.T) {
	core := newStackProgram(snapshot.CortexM, &stackProgram{deepest: 64})
	c := connectTo(t, stubtest.New(core, stubtest.OpenOCD(), stubtest.Fault{On: "g", Nth: 4, Do: stubtest.Hang}), server{o: Options{Timeout: time.Hour}})
	s := newTestSampler(t, c, SampleOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	for {
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, err := s.Next(ctx); err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			break
		}
	}
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSamplerOptions(t *testing.T) {
	c := connectTo(t, stubtest.New(newStackProgram(snapshot.CortexM, &stackProgram{deepest: 64}), stubtest.OpenOCD()), server{})
	for _, o := range []SampleOptions{{}, {Rate: -1}, {Rate: 2e6}, {Rate: 1, Duration: -1}, {Rate: 1, MaxOverhead: 2}} {
		if _, err := NewSampler(c, o); err == nil || !strings.HasPrefix(err.Error(), "gdbremote: ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
