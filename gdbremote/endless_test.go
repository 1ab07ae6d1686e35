package gdbremote

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// talker is a server that answers nothing and sends the same without end, as soon as
// it hears anything.
func talker(t *testing.T, text string) io.ReadWriteCloser {
	ours, theirs := net.Pipe()
	t.Cleanup(func() { ours.Close() })
	heard := make(chan struct{})
	go func() {
		p := make([]byte, 4096)
		for first := true; ; first = false {
			if _, err := ours.Read(p); err != nil {
				return
			}
			if first {
				close(heard)
			}
		}
	}()
	go func() {
		<-heard
		for chunk := []byte(strings.Repeat(text, 1000)); ; {
			if _, err := ours.Write(chunk); err != nil {
				return
			}
		}
	}()
	return theirs
}

func framed(body string) string { return string(appendPacket(nil, []byte(body))) }

// A server that talks without end, of what is no answer, does not keep anybody from
// giving up: neither the time-out nor the user.
func TestEndlessTalk(t *testing.T) {
	var all sync.WaitGroup
	defer all.Wait()
	for name, text := range map[string]string{
		"console": framed("O4869"), "stops": framed("T05thread:01;"), "markers": framed("PacketSize=400") + framed("l<x"), "signs": "++++",
		"damaged": "$abc#00", "files": framed("Fwrite,1,2000,10"), "begins": "$$$$", "notifications": "%Stop:T05#b9",
	} {
		all.Go(func() {
			done := make(chan error, 1)
			go func() {
				_, err := Connect(t.Context(), talker(t, text), Options{Timeout: brisk})
				done <- err
			}()
			select {
			case err := <-done:
				if err == nil {
					t.Errorf("%s: connected", name)
				}
			case <-time.After(time.Minute):
				t.Errorf("%s: it goes on", name)
			}
		})
	}
}

// halfOpen is a connection that takes nothing from some byte on; what was under way
// in the other direction still comes.
type halfOpen struct {
	takes  string // the last request that is taken
	broken chan struct{}
	closed chan struct{}
	once   [2]sync.Once
	said   *strings.Reader
}

func (h *halfOpen) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(h.takes)) {
		return len(p), nil
	}
	h.once[0].Do(func() { close(h.broken) })
	return 0, errors.New("broken pipe")
}

func (h *halfOpen) Read(p []byte) (int, error) {
	select {
	case <-h.closed:
		return 0, net.ErrClosed
	default:
	}
	select {
	case <-h.closed:
		return 0, net.ErrClosed
	case <-h.broken:
	}
	return h.said.Read(p)
}

func (h *halfOpen) Close() error {
	h.once[1].Do(func() { close(h.closed) })
	return nil
}

// The end of a target is its server's last word, and is heard where the connection
// takes nothing any more: QEMU ends between two samples.
func TestLastWords(t *testing.T) {
	h := &halfOpen{takes: "nothing", broken: make(chan struct{}), closed: make(chan struct{}), said: strings.NewReader(framed("W07"))}
	c := &Client{wire: newWire(h, brisk, nil), timeout: brisk, arch: snapshot.CortexM}
	s, err := NewSampler(c, SampleOptions{Rate: 1000, Duration: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(t.Context()); err == nil {
		_, err = s.Next(t.Context())
		var ended *ExitedError
		if !errors.As(err, &ended) {
			t.Error(err)
		}
	} else {
		var ended *ExitedError
		if _, again := s.Next(t.Context()); !errors.As(again, &ended) {
			t.Errorf("%v, %v", err, again)
		}
	}
	if err := c.Detach(t.Context()); err != nil || !strings.Contains(c.LeftBy(), "ended") {
		t.Errorf("%v, %q", err, c.LeftBy())
	}
}

// A description that comes in drops is given up as a whole.
func TestDescriptionInDrops(t *testing.T) { synctest.Test(t, testDescriptionInDrops) }

func testDescriptionInDrops(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	go func() {
		var d decoder
		for p := make([]byte, 4096); ; {
			n, err := ours.Read(p)
			if err != nil {
				return
			}
			d.feed(p[:n], func(e event) {
				switch body := string(e.body); {
				case e.kind != gotPacket:
				case strings.HasPrefix(body, "qSupported"):
					ours.Write([]byte("+" + framed("PacketSize=400;qXfer:features:read+")))
				case body == "?":
					ours.Write([]byte("+" + framed("S05")))
				case strings.HasPrefix(body, "qXfer"):
					time.Sleep(brisk / 100)
					ours.Write([]byte("+" + framed("m ")))
				default:
					ours.Write([]byte("+" + framed("")))
				}
			})
		}
	}()
	_, err := Connect(t.Context(), theirs, Options{Timeout: brisk / 5})
	if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "gdbremote: target description:") {
		t.Error(err)
	}
}
