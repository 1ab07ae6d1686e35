package serial

import (
	"slices"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
)

// end is a UART that notes what it receives.
type end struct {
	frame uint64
	bytes []byte
	at    []uint64
}

func (e *end) Frame() uint64 { return e.frame }
func (e *end) Receive(b byte, at uint64) {
	e.bytes, e.at = append(e.bytes, b), append(e.at, at)
}

func newLine(t *testing.T, frame uint64) (*Line, *end, *armv7m.Core) {
	core, err := armv7m.New(armv7m.Config{Regions: []armv7m.Region{{Base: 0, Data: make([]byte, 0x200)}}})
	if err != nil {
		t.Fatal(err)
	}
	e := &end{frame: frame}
	l := NewLine(e, 77)
	l.Attach(core)
	core.Halt() // time passes without instructions
	return l, e, core
}

// Bytes go one behind the other, not before their time, and at the rate that the
// UART has when a frame begins.
func TestSend(t *testing.T) {
	l, e, core := newLine(t, 100)
	l.Send([]byte("ab"), 50)
	l.Send([]byte("c"), 0)
	l.Send([]byte("d"), 1000)
	if n := l.Waiting(); n != 4 {
		t.Errorf("%d wait", n)
	}
	core.Run(120)
	if !l.Receiving(120) || l.Receiving(20) {
		t.Error("a frame is from 50 to 150")
	}
	core.Run(360)
	e.frame = 10
	if l.Receiving(400) {
		t.Error("the line is free until 1000")
	}
	core.Run(1005)
	if !l.Receiving(1005) || l.Receiving(1010) || l.Waiting() != 1 {
		t.Errorf("the frame is from 1000 to 1010: %d wait", l.Waiting())
	}
	core.Run(5000)
	e.frame = 0
	l.Send([]byte("e"), 0)
	core.Run(6000)
	if want := []uint64{150, 250, 350, 1010, 5077}; string(e.bytes) != "abcde" || !slices.Equal(e.at, want) {
		t.Errorf("%q at %v, want %v", e.bytes, e.at, want)
	}
}

func TestTransmit(t *testing.T) {
	l, _, _ := newLine(t, 100)
	l.Transmit('x', 1) // nobody listens
	var got []byte
	l.ToHost = func(b byte, _ uint64) { got = append(got, b) }
	l.Transmit('y', 2)
	if string(got) != "y" {
		t.Errorf("%q", got)
	}
}
