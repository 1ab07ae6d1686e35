package examples_test

import (
	"bytes"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/firmware/firmwaretest"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/trace"
)

var update = flag.Bool("update", false, "write the recording and the tables anew")

// console is a host in virtual time: nothing depends on the wall clock.
type console struct {
	t     *testing.T
	board *sim.Board
	uart  *sim.UART
	got   []byte
}

// pass lets time pass on the board and keeps what came.
func (c *console) pass(d time.Duration) {
	const step = time.Millisecond
	if err := c.uart.SetReadTimeout(step); err != nil {
		c.t.Fatal(err)
	}
	buffer := make([]byte, 4096)
	for end := c.now() + d; c.now() < end; {
		n, err := c.uart.Read(buffer)
		if err != nil {
			c.t.Fatal(err)
		}
		c.got = append(c.got, buffer[:n]...)
	}
}

func (c *console) now() time.Duration { return c.board.Now() }

// say sends a command, a byte in a millisecond: at full speed the firmware has 10 us for each, and its
// own interrupts come first, so that it hears some commands only when they are repeated.
func (c *console) say(command byte, body ...byte) {
	for _, v := range trace.AppendCommand(nil, command, body...) {
		if _, err := c.uart.Write([]byte{v}); err != nil {
			c.t.Fatal(err)
		}
		c.pass(time.Millisecond)
	}
	c.pass(20 * time.Millisecond)
}

func recordDemo(t *testing.T) []byte {
	b, err := sim.New(sim.Options{ELF: examples.DemoELF, CoreHz: examples.DemoHz})
	if err != nil {
		t.Fatal(err)
	}
	u, err := b.UART("USART2")
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	c := &console{t: t, board: b, uart: u}
	c.pass(time.Second) // it starts, and says so
	c.got = nil
	c.say(trace.CommandGetMetadata, 2, 0xFF)
	c.say(trace.CommandReset)
	c.say(trace.CommandStart)
	for range 12 {
		c.pass(time.Second)
		c.say(trace.CommandStatus)
	}
	c.say(trace.CommandStop)
	c.pass(time.Second)
	c.say(trace.CommandStatus)
	return c.got
}

// The built-in recording is what the built-in firmware sends, to the last byte.
func TestDemoRecording(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the demo for 15 s of its time")
	}
	got := recordDemo(t)
	if *update {
		if err := os.WriteFile("logger/recording.bin", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(got, examples.DemoRecording) {
		t.Errorf("%d bytes, the built-in recording has %d; run: make firmware", len(got), len(examples.DemoRecording))
	}
}

func TestDemoRebuild(t *testing.T) {
	t.Chdir("logger")
	firmwaretest.Rebuild(t, examples.DemoELF, "logger.elf")
}

// What it shows: calls in four contexts, and none of them lost.
func TestDemoShows(t *testing.T) {
	r := &heard{functions: map[uint32]int{}, contexts: map[uint16]int{}}
	if err := trace.Replay(t.Context(), bytes.NewReader(examples.DemoRecording), r, trace.ReplayOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(r.functions) < 50 || len(r.contexts) < 4 || r.lost > 0 || r.metadata.Name != "boat logger" || len(r.metadata.Contexts) != 5 {
		t.Errorf("%d functions in %d contexts, %d losses; %+v", len(r.functions), len(r.contexts), r.lost, r.metadata)
	}
	if r.status.Dropped != 0 || r.status.Waiting != 0 || r.status.Running {
		t.Errorf("at the end: %+v", r.status)
	}
}

// heard is a sink that counts.
type heard struct {
	functions map[uint32]int
	contexts  map[uint16]int
	lost      int
	metadata  trace.Metadata
	status    trace.Status
}

func (h *heard) Records(b trace.Batch) {
	for _, r := range b.Records {
		if !r.Switch() {
			h.functions[r.Func]++
			h.contexts[r.Context]++
		}
	}
}
func (h *heard) Metadata(m trace.Metadata) { h.metadata = m }
func (h *heard) Status(s trace.Status)     { h.status = s }
func (h *heard) Answer(byte, byte)         {}
func (h *heard) Loss(trace.Loss)           { h.lost++ }
