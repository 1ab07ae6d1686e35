package gdbremote

import (
	"fmt"
	"testing"
)

// pyOCD's notifications have a checksum of what follows their name (pyocd/gdbserver/gdbserver.py,
// send_stop_notification); packets with it, and notifications with any other, are damaged.
func TestNotificationOfPyOCD(t *testing.T) {
	const name, body = "Stop:", "T05thread:1;"
	sum := func(text string) (n byte) {
		for _, b := range []byte(text) {
			n += b
		}
		return n
	}
	for _, c := range []struct {
		start string
		sum   byte
		want  eventKind
	}{
		{"%", sum(name + body), gotNotification},
		{"%", sum(body), gotNotification},
		{"%", sum(body) + 1, gotDamaged},
		{"$", sum(body), gotDamaged},
	} {
		var d decoder
		var got []eventKind
		wire := fmt.Sprintf("%s%s%s#%02x", c.start, name, body, c.sum)
		d.feed([]byte(wire), func(e event) { got = append(got, e.kind) })
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %v, want %v", wire, got, c.want)
		}
	}
}
