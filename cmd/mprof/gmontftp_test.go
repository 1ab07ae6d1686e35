package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pin "github.com/pin/tftp/v3"

	"github.com/mprof/mprof/gmon"
)

// tftpServer is a target that serves these bytes as gmon.out.
func tftpServer(t *testing.T, content []byte) (url string) {
	t.Helper()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	s := pin.NewServer(func(_ string, to io.ReaderFrom) error {
		_, err := to.ReadFrom(bytes.NewReader(content))
		return err
	}, nil)
	go func() { _ = s.Serve(conn) }()
	t.Cleanup(s.Shutdown)
	return "tftp://" + conn.LocalAddr().String() + "/gmon.out"
}

// TestGmonTFTP: what a target serves is what is written, whatever its byte order.
func TestGmonTFTP(t *testing.T) {
	want := &gmon.Data{Rate: 333, Buckets: []gmon.Bucket{{Addr: 0x08000100, Size: 16, Count: 7}, {Addr: 0x08000200, Size: 16, Count: 0xFFFF}},
		Arcs: []gmon.Arc{{From: 0x08000102, Self: 0x08000200, Count: 12}}}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		var file bytes.Buffer
		if err := want.Encode(&file, order); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "gmon.out")
		s := mprof(t.Context(), nil, "gmon", "fetch", "--from", tftpServer(t, file.Bytes()), "-o", out)
		if s.code != 0 || !strings.Contains(s.stdout, "came by TFTP") || !strings.Contains(s.stdout, "1 counters are at 65535") {
			t.Fatalf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
		}
		counted := readGmon(t, out)
		counted.Buckets = nonzero(counted.Buckets)
		if diff := cmp.Diff(want, counted); diff != "" {
			t.Errorf("%v (-served +fetched):\n%s", order, diff)
		}
	}
}

func nonzero(all []gmon.Bucket) (some []gmon.Bucket) {
	for _, b := range all {
		if b.Count > 0 {
			some = append(some, b)
		}
	}
	return some
}

func TestGmonTFTPBadInput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "gmon.out")
	mprof(t.Context(), nil, "gmon", "fetch", "--from", tftpServer(t, []byte("gmon, but not quite a file")), "-o", out).oneSentence(t, 1, "tftp://127.0.0.1")
	mprof(t.Context(), nil, "gmon", "fetch", "--from", "http://x").oneSentence(t, 2, "write it as tftp://HOST")
	mprof(t.Context(), nil, "gmon", "fetch", "--from", "tftp://x", "--probe", "sim").oneSentence(t, 2, "exclude each other")
	mprof(t.Context(), nil, "gmon", "reset", "--from", "tftp://127.0.0.1:9").oneSentence(t, 1, "TFTP has no reset of its own")
}
