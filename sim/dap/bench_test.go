package dap

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/sim/wire"
)

// reply is what the target answers to one transfer.
type reply struct {
	ack   uint8
	value uint32
}

// lines is a target with a script: it records what happens on the wire and
// answers from a list; when that is used up, OK and a running number.
type lines struct {
	log     []string
	replies []reply
	n       uint32
	time    time.Duration
	pins    byte
	stuck   byte // pins that read as 0 whatever is driven
	abortAt int  // Aborted from this many transfers on
	limit   int  // transfers after which nobody answers, for fuzzing
	in      []byte
}

func (l *lines) Transfer(req uint8, data uint32, idle int) (uint8, uint32) {
	l.n++
	what := fmt.Sprintf("r%x", req)
	if req&bitRnW == 0 {
		what = fmt.Sprintf("w%x=%x", req, data)
	}
	if idle > 0 {
		what += fmt.Sprintf("+%d", idle)
	}
	if len(l.log) < 10000 {
		l.log = append(l.log, what)
	}
	l.time += 10 * time.Microsecond
	if l.limit > 0 && int(l.n) >= l.limit {
		return 7, 0
	}
	if len(l.replies) > 0 {
		r := l.replies[0]
		l.replies = l.replies[1:]
		return r.ack, r.value
	}
	return ackOK, 0x10 + l.n
}

func (l *lines) Drive(b []byte, n int) { l.log = append(l.log, fmt.Sprintf("out %d %x", n, b)) }
func (l *lines) Sample(b []byte, n int) {
	l.log = append(l.log, fmt.Sprintf("in %d", n))
	copy(b, l.in)
}
func (l *lines) Configure(turn int, phase bool) {
	l.log = append(l.log, fmt.Sprintf("configure %d %v", turn, phase))
}
func (l *lines) SetClock(hz uint32)   { l.log = append(l.log, fmt.Sprintf("clock %d", hz)) }
func (l *lines) SetPins(v, sel byte)  { l.pins = l.pins&^sel | v&sel }
func (l *lines) Pins() byte           { return l.pins &^ l.stuck }
func (l *lines) Connect(on bool)      { l.log = append(l.log, fmt.Sprintf("connect %v", on)) }
func (l *lines) Wait(d time.Duration) { l.time += d }
func (l *lines) Command()             {}
func (l *lines) Timestamp() uint32    { return uint32(l.time / time.Microsecond) }
func (l *lines) ClearAbort()          {}
func (l *lines) Aborted() bool {
	return l.abortAt > 0 && int(l.n) >= l.abortAt
}

// full is a probe that knows everything.
var full = wire.Model{
	Product: "P", Serial: "S", Firmware: "2.1.1", PacketSize: 64, PacketCount: 2,
	TimestampHz: 1_000_000, ExecuteCommands: true, TransferAbort: true,
}

// bench is a processor on such lines, connected to SWD.
type bench struct {
	*testing.T
	*Processor
	lines *lines
}

func newBench(t *testing.T, m wire.Model) *bench {
	l := &lines{pins: 0xff}
	b := &bench{t, New(m, l), l}
	b.expect("02 01", "02 01")
	l.log = nil
	return b
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		panic(err)
	}
	return b
}

// expect runs a packet and compares the response.
func (b *bench) expect(request, response string) {
	b.Helper()
	got := b.Execute(unhex(request))
	if want := unhex(response); string(got) != string(want) {
		b.Errorf("%s\n answered % x\n     want % x", request, got, want)
	}
}

// wire compares what happened since the last call with a list of words.
func (b *bench) wire(want string) {
	b.Helper()
	if got := strings.Join(b.lines.log, " "); got != strings.Join(strings.Fields(want), " ") {
		b.Errorf("on the wire: %s\n       want: %s", got, want)
	}
	b.lines.log = nil
}

func (b *bench) answers(r ...reply) { b.lines.replies = slices.Clone(r) }
