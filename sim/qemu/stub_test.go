package qemu

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestReceive takes packets apart that are written in every way the protocol
// has.
func TestReceive(t *testing.T) {
	for _, c := range []struct{ wire, want string }{
		{"$OK#9a", "OK"},
		{"+$T05thread:01;#07", "T05thread:01;"},
		{"junk$m}\x03}]#e8", "m#}"}, // escapes
		{"$0* #7a", "0000"},         // run length
	} {
		sum := byte(0)
		body := c.wire[strings.IndexByte(c.wire, '$')+1 : len(c.wire)-3]
		for i := range len(body) {
			sum += body[i]
		}
		wire := c.wire[:len(c.wire)-2] + fmt.Sprintf("%02x", sum)
		r := &Stub{in: bufio.NewReader(strings.NewReader(wire))}
		got, err := r.Receive()
		if err != nil || string(got) != c.want {
			t.Errorf("%q: %q, %v; want %q", wire, got, err, c.want)
		}
	}
	r := &Stub{in: bufio.NewReader(strings.NewReader("$OK#00"))}
	if _, err := r.Receive(); err == nil {
		t.Error("a wrong checksum was taken")
	}
}

func FuzzReceive(f *testing.F) {
	f.Add([]byte("$OK#9a"))
	f.Add([]byte("$0* #7a$}\x03#00"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := &Stub{in: bufio.NewReader(bytes.NewReader(wire))}
		for {
			if _, err := r.Receive(); err != nil {
				return
			}
		}
	})
}
