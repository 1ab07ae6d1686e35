package stubtest

import (
	"fmt"
	"strings"
)

// frame makes a packet, or a notification, of a body.
func frame(start byte, body string, runs bool) []byte {
	body = strings.NewReplacer("}", "}]", "#", "}\x03", "$", "}\x04", "*", "}\x0a").Replace(body)
	if runs {
		body = compress(body)
	}
	sum := 0
	for i := range len(body) {
		sum += int(body[i])
	}
	return fmt.Appendf(nil, "%c%s#%02x", start, body, sum&0xff)
}

// compress writes four and more of one byte as the byte, "*" and a count. Counts
// that would be "#" or "$" are not used, nor is an escape repeated.
func compress(body string) string {
	var b strings.Builder
	for i := 0; i < len(body); {
		n := 1
		for i+n < len(body) && body[i+n] == body[i] {
			n++
		}
		again := min(n-1, '~'-29)
		for again+29 == '#' || again+29 == '$' || again+29 == '+' || again+29 == '-' {
			again--
		}
		if again < 3 || i > 0 && body[i-1] == '}' || body[i] == '}' {
			b.WriteByte(body[i])
			i++
			continue
		}
		b.WriteByte(body[i])
		b.WriteByte('*')
		b.WriteByte(byte(again + 29))
		i += again + 1
	}
	return b.String()
}

// unframe takes the next packet or sign off what was received: a packet's body, or
// one byte. used is how much it was, 0 if it is not complete.
func unframe(p []byte) (body string, packet, good bool, used int) {
	if p[0] != '$' {
		return string(p[:1]), false, true, 1
	}
	end := strings.IndexByte(string(p), '#')
	if end < 0 || len(p) < end+3 {
		return "", false, false, 0
	}
	sum := 0
	var b strings.Builder
	for i := 1; i < end; i++ {
		sum += int(p[i])
		if p[i] == '}' && i+1 < end {
			i++
			sum += int(p[i])
			b.WriteByte(p[i] ^ 0x20)
			continue
		}
		b.WriteByte(p[i])
	}
	want := 0
	_, err := fmt.Sscanf(string(p[end+1:end+3]), "%02x", &want)
	return b.String(), true, err == nil && want == sum&0xff, end + 3
}
