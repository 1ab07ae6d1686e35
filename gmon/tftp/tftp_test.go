package tftp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	pin "github.com/pin/tftp/v3"

	"github.com/mprof/mprof/gmon/tftp"
)

// serve is a server of one file, on a port of its own.
func serve(t *testing.T, name string, content []byte) (address string) {
	t.Helper()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	server := pin.NewServer(func(file string, to io.ReaderFrom) error {
		if file != name {
			return errors.New("no such file")
		}
		_, err := to.ReadFrom(bytes.NewReader(content))
		return err
	}, nil)
	go func() { _ = server.Serve(conn) }()
	t.Cleanup(server.Shutdown)
	return conn.LocalAddr().String()
}

// TestFetch: files of all sizes around a block of 512 bytes arrive as they are.
func TestFetch(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	for _, n := range []int{0, 1, 511, 512, 513, 1024, 64712} {
		want := make([]byte, n)
		_, _ = random.Read(want)
		s, err := tftp.Parse("tftp://" + serve(t, "gmon.out", want))
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Fetch(t.Context())
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes of %d: %v", len(got), n, err)
		}
	}
}

func TestRefused(t *testing.T) {
	s, err := tftp.Parse("tftp://" + serve(t, "gmon.out", nil) + "/other")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fetch(t.Context()); err == nil || !strings.Contains(err.Error(), "/other: ") || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}

// TestSilent: a host that says nothing is an error, and a signal does not wait for it.
func TestSilent(t *testing.T) {
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	s, err := tftp.Parse("tftp://" + conn.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	s.Timeout, s.Retries = 10*time.Millisecond, 2
	if _, err := s.Fetch(t.Context()); !errors.Is(err, tftp.ErrUnreachable) {
		t.Errorf("%v", err)
	}
	s.Timeout = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Fetch(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"tftp://10.1.1.134":            "tftp://10.1.1.134:69/gmon.out",
		"tftp://board:6969/x/gmon.out": "tftp://board:6969/x/gmon.out",
		"tftp://[fe80::1]/gmon.out":    "tftp://[fe80::1]:69/gmon.out",
	} {
		if s, err := tftp.Parse(text); err != nil || s.String() != want {
			t.Errorf("%s: %v, %v, want %s", text, s, err, want)
		}
	}
	for _, text := range []string{"", "gmon.out", "http://board/gmon.out", "tftp:///gmon.out", "tftp://board/?x", "tftp://a b"} {
		if s, err := tftp.Parse(text); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
}
