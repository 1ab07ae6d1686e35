package trace

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// TextError is a stream that people can read.
type TextError struct {
	From  string // the port or the file
	Bytes int
	Text  string // its beginning
}

func (e *TextError) Error() string {
	return fmt.Sprintf("trace: %s gives text and no packet of a trace: %q", e.From, e.Text)
}

// NoiseError is a stream in which no packet is.
type NoiseError struct {
	From    string // the port or the file
	Bytes   int
	First   []byte   // 16 at most
	Runs    float64  // share of bytes that are one run of ones and one of zeros, as a wrong baud rate makes them
	Headers int      // 55 AA or AA 55
	Single  *Variant // of a packet that was not believed for want of a second one; nil: there is none
}

func (e *NoiseError) Error() string {
	s := fmt.Sprintf("trace: %d bytes came from %s, none of them a packet of a trace; the first: % x", e.Bytes, e.From, e.First)
	switch {
	case e.Headers > 0:
		s += "; headers of packets (55 aa) are among them, but "
		if e.Single != nil {
			s += fmt.Sprintf("only one packet has a right CRC (%s), which may be chance: --crc %s believes it", e.Single, e.Single)
		} else {
			s += "no CRC is right"
		}
	case e.Runs > manyRuns:
		s += fmt.Sprintf("; %.0f %% of them are such as a wrong baud rate makes (00, 80, f8, ff)", 100*e.Runs)
	}
	return s
}

// WrongBaud tells whether it looks as if the baud rate were wrong.
func (e *NoiseError) WrongBaud() bool { return e.Headers == 0 && e.Runs > manyRuns }

const (
	// manyRuns is far above the 16 of 256 bytes of random data that are of that kind.
	manyRuns = 0.3
	// textShare of the characters of a text can be printed.
	textShare = 0.95
	// shownText is the largest part of a text in an error, characters.
	shownText = 60
)

// diagnose says what bytes without a packet look like.
func diagnose(from string, b []byte, total int) error {
	if text, ok := readable(b); ok {
		return &TextError{from, total, text}
	}
	e := &NoiseError{From: from, Bytes: total, First: append([]byte(nil), b[:min(len(b), 16)]...)}
	e.Headers = bytes.Count(b, []byte{0x55, 0xAA}) + bytes.Count(b, []byte{0xAA, 0x55})
	e.Single = singlePacket(b)
	runs := 0
	for _, c := range b {
		if oneEdge(c) {
			runs++
		}
	}
	e.Runs = float64(runs) / float64(max(len(b), 1))
	return e
}

// maxTried bounds the headers of which all CRCs are tried.
const maxTried = 64

// singlePacket is the variant in which one of the packets is right that bytes seem to hold.
func singlePacket(b []byte) *Variant {
	tried := 0
	for i := 0; i+frameHead < len(b) && tried < maxTried; i++ {
		h := [2]byte(b[i:])
		if h != [2]byte{0x55, 0xAA} && h != [2]byte{0xAA, 0x55} {
			continue
		}
		end := i + frameHead + (int(b[i+2]) | int(b[i+3])<<8)
		if end == i+frameHead || end+frameTail > len(b) || b[end+frameTail-1] != frameEnd || !plausible(b[i:]) {
			continue
		}
		tried++
		for v := range variantsOf(h[0]) {
			if v.crc(b[i:end]) == [2]byte(b[end:]) {
				return &v
			}
		}
	}
	return nil
}

// echo tells whether what came is what was sent, as far as both are known: a whole
// command and more.
func echo(sent, came []byte) bool {
	n := min(len(sent), len(came))
	return n > frameHead+1+frameTail && bytes.Equal(sent[:n], came[:n])
}

// oneEdge: at most one change between the bits of c. A sender that is slower than the
// receiver thinks holds its level for several bits.
func oneEdge(c byte) bool {
	edges := (c ^ c>>1) & 0x7F
	return edges&(edges-1) == 0
}

// readable is the beginning of a text.
func readable(b []byte) (string, bool) {
	printed, all := 0, 0
	for rest := b; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		rest = rest[n:]
		all++
		if r >= ' ' && r != 0x7F && (r != utf8.RuneError || n > 1) || r == '\n' || r == '\r' || r == '\t' || r == 0x1B {
			printed++
		}
	}
	if all < 4 || float64(printed) < textShare*float64(all) {
		return "", false
	}
	text := strings.TrimSpace(strings.ToValidUTF8(string(b[:min(len(b), 8*shownText)]), "?"))
	if cut := []rune(text); len(cut) > shownText {
		text = string(cut[:shownText]) + "..."
	}
	return text, true
}
