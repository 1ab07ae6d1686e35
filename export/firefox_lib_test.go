package export

import (
	"testing"

	"github.com/mprof/mprof/profile"
)

// The ids that samply computes of the same ELF.
func TestDebugID(t *testing.T) {
	text := make([]byte, 4096)
	for i := range text {
		text[i] = byte(i * 7 / 3)
	}
	folded := [16]byte{}
	for i, b := range text[:100] {
		folded[i%16] ^= b
	}
	for _, c := range []struct {
		name string
		m    profile.Mapping
		want string
	}{
		{"build id", profile.Mapping{BuildID: []byte{0xe0, 0x04, 0x25, 0x3f, 0x89, 0x4f, 0xd3, 0x11, 0x9a, 0x0c, 0x03, 0x05, 0xe8, 0x2c, 0x33, 0x01, 0x5a, 0x6b, 0x7c, 0x8d}},
			"3F2504E04F8911D39A0C0305E82C33010"},
		{"short build id", profile.Mapping{BuildID: []byte{1, 2, 3, 4, 5, 6, 7, 8}}, "04030201060508070000000000000000" + "0"},
		{"text of one word", profile.Mapping{TextPrefix: []byte{0x11, 0x22, 0x33, 0x44}}, "44332211000000000000000000000000" + "0"},
		{"text of 18 bytes", profile.Mapping{TextPrefix: append(make([]byte, 16), 0xaa, 0xbb)}, "0000BBAA000000000000000000000000" + "0"},
	} {
		if got := c.m.DebugID(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
