package trace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestSessionResetOnTheWay: a target that is reset by a command, or right behind it, is started
// once, and sends the records that were agreed.
func TestSessionResetOnTheWay(t *testing.T) {
	for _, c := range []struct {
		name    string
		command byte
		at      int // which of these commands
		quiet   bool
	}{{"behind RESET_BUFFERS", CommandReset, 1, false}, {"behind GET_METADATA", CommandGetMetadata, 2, false}, {"behind START, says nothing", CommandStart, 1, true}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				left := c.at
				fw := &target{meta: ourMetadata(), quiet: c.quiet, noACK: c.quiet, fails: func(command byte) bool {
					if command == c.command {
						left--
					}
					return command == c.command && left == 0
				}}
				r := runSession(t, fw, SessionOptions{}, 300, func(p net.Conn) io.ReadWriteCloser { return delay(p, time.Millisecond) })
				if r.err != nil {
					t.Fatal(r.err)
				}
				r.exact(t)
				if _, _, starts := fw.truth(); starts != 1 || r.batches[0].Version != 2 || len(r.remarks) > 0 {
					t.Errorf("%d STARTs, records of version %d, remarks %q", starts, r.batches[0].Version, r.remarks)
				}
				replaysTheSame(t, r)
			})
		})
	}
}

// TestSessionLateRefusal: a NACK of GET_METADATA with a body that comes behind the next
// GET_METADATA is not the refusal of that.
func TestSessionLateRefusal(t *testing.T) {
	for _, by := range []time.Duration{testPatience / 24, testPatience / 10, testPatience / 4, testPatience / 3} {
		synctest.Test(t, func(t *testing.T) {
			fw := &target{meta: Metadata{Name: "other", BuildID: []byte{1, 2}, Known: KnownName}, newest: 1, strict: true}
			r := runSession(t, fw, SessionOptions{}, 100, func(p net.Conn) io.ReadWriteCloser { return delay(p, by) })
			if r.err != nil || len(r.remarks) > 0 || r.session.known == nil {
				t.Errorf("%v late: %v, remarks %q", by, r.err, r.remarks)
			}
		})
	}
}

// held gives on some bytes, and the others later.
type held struct {
	net.Conn
	bytes int
	until time.Time
}

func (h *held) Read(b []byte) (int, error) {
	if h.bytes == 0 {
		time.Sleep(time.Until(h.until))
		return h.Conn.Read(b)
	}
	n, err := h.Conn.Read(b[:min(len(b), h.bytes)])
	h.bytes -= n
	return n, err
}

// TestSessionLateMetadata: METADATA that comes when nobody waits for it any more still says which
// firmware that is, and which version it has.
func TestSessionLateMetadata(t *testing.T) {
	answer := len(Variant{}.AppendPacket(nil, TypeACK, CommandStop))
	for _, id := range []string{"\x01\x02\x03\x04", "\x09"} {
		synctest.Test(t, func(t *testing.T) {
			fw := &target{meta: ourMetadata()}
			r := runSession(t, fw, SessionOptions{BuildID: []byte(id)}, 300, func(p net.Conn) io.ReadWriteCloser {
				return &held{p, answer, time.Now().Add(4 * testPatience)}
			})
			if wrong := (*BuildIDError)(nil); errors.As(r.err, &wrong) != (id == "\x09") {
				t.Errorf("build id %x: %v", id, r.err)
			}
			if r.err == nil && (r.batches[len(r.batches)-1].Version != 2 || !r.said("says nothing of itself")) {
				t.Errorf("records of version %d, remarks %q", r.batches[len(r.batches)-1].Version, r.remarks)
			}
		})
	}
}

// TestSessionResetAtTheEnd: records are missing, and nobody knows how many.
func TestSessionResetAtTheEnd(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		for _, known := range []int{50, 1000} { // records: STATUS has come before, or not
			synctest.Test(t, func(t *testing.T) {
				fw := &target{meta: ourMetadata(), quiet: quiet}
				fw.fails = func(c byte) bool { return c == CommandStop && fw.sent > 0 }
				r := runSession(t, fw, SessionOptions{}, known, nil)
				if r.err != nil || !r.said("was reset at the end") || len(r.remarks) != 1 {
					t.Errorf("quiet %v, %d records: %v, remarks %q", quiet, known, r.err, r.remarks)
				}
				var remarks []string
				o := ReplayOptions{Remark: func(s string) { remarks = append(remarks, s) }}
				if err := Replay(t.Context(), bytes.NewReader(r.recording.Bytes()), &heard{}, o); err != nil || !strings.Contains(strings.Join(remarks, ";"), "ends with a reset") {
					t.Errorf("quiet %v, %d records: %v, remarks of the recording %q", quiet, known, err, remarks)
				}
			})
		}
	}
}

// TestSessionStopsTwice: the ACK of a STOP of long ago is none of the last one, which got lost.
func TestSessionStopsTwice(t *testing.T) {
	for _, times := range []int{1, 1000} {
		synctest.Test(t, func(t *testing.T) {
			fw := &target{meta: ourMetadata()}
			deaf := times
			fw.obeys = func(c byte) int {
				if c != CommandStop || fw.sent == 0 || deaf == 0 {
					return 0
				}
				deaf--
				_ = fw.enc.Answer(CommandStop, 0)
				return -1
			}
			r := runSession(t, fw, SessionOptions{}, 300, nil)
			if r.err != nil || r.said("still run") != fw.running || fw.running != (times > 1) {
				t.Errorf("%v, running %v, remarks %q", r.err, fw.running, r.remarks)
			}
			if !fw.running {
				r.exact(t)
			}
		})
	}
}

// answering ends a run when a command is answered.
type answering struct {
	heardRun
	command byte
	cancel  func()
}

func (a *answering) Answer(c, reason byte) {
	a.heardRun.Answer(c, reason)
	if c == a.command {
		a.cancel()
	}
}

// TestSessionAnsweredStart: a run that ends while STATUS is waited for, behind the ACK of START.
func TestSessionAnsweredStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, far := net.Pipe()
		fw := (&target{meta: ourMetadata(), obeys: deafTo(CommandStatus, 1000)}).boot(far)
		var remarks []string
		o := SessionOptions{Patience: testPatience, Remark: func(s string) { remarks = append(remarks, s) }}
		s, err := Open(t.Context(), delay(host, testPatience/10), o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := s.Run(ctx, &answering{command: CommandStart, cancel: cancel}); err != nil {
			t.Error(err)
		}
		for _, r := range remarks {
			if strings.Contains(r, "START") {
				t.Error(r)
			}
		}
		_ = s.Close()
		fw.end()
	})
}

// TestPumpLooksOnce: what has come is looked at before time is said to be up.
func TestPumpLooksOnce(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			s := &Session{heard: &listener{}, line: &line{in: make(chan arrival, 8)}}
			s.decoder = NewDecoder(s.heard, DecoderOptions{})
			for range 5 {
				s.line.in <- arrival{bytes: Variant{}.AppendPacket(nil, TypeACK, CommandStop)}
			}
			h := s.heard
			if ok, err := s.pump(t.Context(), 0, func() bool { return h.answers == 5 }); !ok || err != nil {
				t.Fatalf("%d answers, %v, %v", h.answers, ok, err)
			}
		})
	}
}

// TestSessionKnownMetadata: firmware that says what it is while the session opens, and then answers no
// GET_METADATA, loses no record for want of the unit of its times: in the run and in its recording.
func TestSessionKnownMetadata(t *testing.T) {
	t.Parallel()
	begun := false
	fw := &target{meta: ourMetadata(), rate: 5}
	fw.obeys = func(c byte) int {
		if begun = begun || c == CommandReset; begun && c == CommandGetMetadata {
			return -1
		}
		return 0
	}
	r := runSession(t, fw, SessionOptions{}, 300, nil)
	if r.err != nil {
		t.Fatal(r.err)
	}
	r.exact(t)
	if len(r.metadata) != 1 || r.metadata[0].TimerHz != 1_000_000 || r.metadata[0].Name != "fake" {
		t.Errorf("METADATA %+v", r.metadata)
	}
	if !slices.ContainsFunc(r.remarks, func(s string) bool { return strings.Contains(s, "what it said before holds") }) {
		t.Errorf("remarks %q", r.remarks)
	}
	replaysTheSame(t, r)
}

// TestSessionUnknownMetadata: firmware that answers GET_METADATA only once it runs is asked again.
func TestSessionUnknownMetadata(t *testing.T) {
	t.Parallel()
	fw := &target{meta: ourMetadata(), rate: 5}
	fw.obeys = func(c byte) int {
		if c == CommandGetMetadata && fw.starts == 0 {
			return -1
		}
		return 0
	}
	r := runSession(t, fw, SessionOptions{}, 5000, nil)
	if r.err != nil {
		t.Fatal(r.err)
	}
	r.exact(t)
	if len(r.metadata) == 0 || r.metadata[0].TimerHz != 1_000_000 || r.metadata[0].Name != "fake" {
		t.Errorf("METADATA %+v, remarks %q", r.metadata, r.remarks)
	}
	replaysTheSame(t, r)
}

// TestSessionCrippledAnswers: a line on which the longest answer seldom arrives whole is one on which
// somebody answers, who is asked until it does.
func TestSessionCrippledAnswers(t *testing.T) {
	for _, times := range []int{0, 1, 4, 8} {
		synctest.Test(t, func(t *testing.T) {
			fw := &target{meta: ourMetadata()}
			left, begun := times, false
			fw.obeys = func(c byte) int {
				if begun = begun || c == CommandReset; !begun || c != CommandGetMetadata || left == 0 {
					return 0
				}
				left--
				packet := fw.variant.AppendPacket(nil, TypeMetadata, AppendMetadata(nil, fw.metadata())...)
				fw.out.Write(packet[:len(packet)-1])
				return -1
			}
			r := runSession(t, fw, SessionOptions{}, 300, nil)
			if r.err != nil || len(r.remarks) > 0 || left != 0 {
				t.Errorf("%d answers crippled, %d to come: %v, remarks %q", times, left, r.err, r.remarks)
			}
			r.exact(t)
		})
	}
}
