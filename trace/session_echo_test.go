package trace

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// TestSessionEcho: a port whose TX is wired to its own RX, and a line that gives back what
// is sent to it before it says something of its own.
func TestSessionEcho(t *testing.T) {
	for _, first := range []string{"", "$ "} {
		host, far := net.Pipe()
		go func() {
			if first != "" {
				_, _ = far.Write([]byte(first))
			}
			_, _ = io.Copy(far, far)
		}()
		_, err := Open(t.Context(), host, SessionOptions{Port: "/dev/ttyUSB7", Patience: testPatience})
		if e := (*EchoError)(nil); errors.As(err, &e) != (first == "") {
			t.Errorf("%q: %v", first, err)
		}
		_ = far.Close()
	}
}

// TestSessionStartUnanswered: a run that ends before the target has answered says so.
func TestSessionStartUnanswered(t *testing.T) {
	for _, command := range []byte{CommandReset, CommandStart} {
		host, far := net.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		fw := (&target{meta: ourMetadata(), obeys: func(c byte) int {
			if c == command {
				cancel()
				return -1
			}
			return 0
		}}).boot(far)
		var remarks []string
		s, err := Open(t.Context(), host, SessionOptions{Patience: testPatience, Remark: func(text string) { remarks = append(remarks, text) }})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(ctx, &heardRun{}); err != nil {
			t.Error(err)
		}
		cancel()
		if all := strings.Join(remarks, "; "); !strings.Contains(all, "did not answer "+commandNames[command]+" before the run ended") {
			t.Errorf("%s: %q", commandNames[command], all)
		}
		_ = s.Close()
		fw.end()
	}
}

// TestSinglePacket: a packet that only its own CRC speaks for is named, not believed.
func TestSinglePacket(t *testing.T) {
	for v := range variantsOf(0xAA) {
		b := append([]byte("\x55\xAA\x01\x00 "), v.AppendPacket(nil, TypeProfileData, make([]byte, 140)...)...)
		err := Replay(t.Context(), strings.NewReader(string(b)), &heard{}, ReplayOptions{})
		if e := (*NoiseError)(nil); !errors.As(err, &e) || e.Single == nil || !strings.Contains(err.Error(), "--crc "+e.Single.String()) {
			t.Errorf("%v: %v", v, err)
		}
		err = Replay(t.Context(), strings.NewReader(string(b[:len(b)-1])), &heard{}, ReplayOptions{})
		if e := (*NoiseError)(nil); !errors.As(err, &e) || e.Single != nil {
			t.Errorf("%v, cut: %v", v, err)
		}
	}
}

// TestReplayOfTwo: recordings of two firmwares in one file, without an ELF file that would
// refuse one of them.
func TestReplayOfTwo(t *testing.T) {
	for _, second := range []byte{7, 8} {
		m := ourMetadata()
		var b []byte
		for _, id := range []byte{7, second} {
			m.BuildID = []byte{id, 2, 3, 4}
			b = Variant{}.AppendPacket(b, TypeMetadata, AppendMetadata(nil, m)...)
		}
		var remarks []string
		err := Replay(t.Context(), strings.NewReader(string(b)), &heard{}, ReplayOptions{Name: "a.bin", Remark: func(text string) { remarks = append(remarks, text) }})
		if all := strings.Join(remarks, "; "); err != nil || strings.Contains(all, "a.bin holds runs of different firmware (build ids 07020304 and 08020304)") != (second == 8) {
			t.Errorf("%d: %v, %q", second, err, all)
		}
	}
}
