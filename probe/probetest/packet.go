// Package probetest stands in for a probe in tests. In: a conversation as
// text, or a function that answers. Out: a probe.Transport that plays it, or
// one that writes down what another one does.
package probetest

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/mprof/mprof/probe"
)

// Kind says what happened.
type Kind byte

const (
	Request  Kind = '>' // the host sent Data
	Response Kind = '<' // the probe sent Data
	Failure  Kind = '!' // reading failed with Err
)

// Packet is one event of a conversation.
type Packet struct {
	Kind Kind
	Data []byte
	Err  error
}

// failures are the errors that a conversation can name.
var failures = map[string]error{
	"timeout":      errSilent,
	"disconnected": probe.ErrDisconnected,
}

// String is the line of the conversation: "> 00 fe", "< 00 01 04",
// "! disconnected".
func (p Packet) String() string {
	if p.Kind != Failure {
		return fmt.Sprintf("%c % x", p.Kind, p.Data)
	}
	for name, err := range failures {
		if p.Err == err {
			return "! " + name
		}
	}
	return "! " + p.Err.Error()
}

// Parse reads a conversation: one packet a line in hex, spaces as you like,
// text after # and empty lines left out. "! timeout" is a response that does
// not come, "! disconnected" the end of the connection.
func Parse(r io.Reader) ([]Packet, error) {
	var packets []Packet
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		p, err := parseLine(Kind(text[0]), strings.TrimSpace(text[1:]))
		if err != nil {
			return nil, fmt.Errorf("probetest: line %d: %w", n, err)
		}
		packets = append(packets, p)
	}
	return packets, lines.Err()
}

func parseLine(kind Kind, rest string) (Packet, error) {
	switch kind {
	case Failure:
		err, ok := failures[rest]
		if !ok {
			return Packet{}, fmt.Errorf("unknown failure %q", rest)
		}
		return Packet{Kind: kind, Err: err}, nil
	case Request, Response:
		data, err := hex.DecodeString(strings.Join(strings.Fields(rest), ""))
		if err != nil {
			return Packet{}, err
		}
		return Packet{Kind: kind, Data: data}, nil
	}
	return Packet{}, fmt.Errorf("a line begins with >, < or !, not with %q", kind)
}
