package gdbremote

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// firstLine is the first line of a text that has something in it.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.Map(printable, line))
		if line != "" {
			return shortened([]byte(line))
		}
	}
	return ""
}

// oneLine is a text in one line, or its begin.
func oneLine(text string) string {
	return shortened([]byte(strings.Join(strings.Fields(strings.Map(printable, text)), " ")))
}

func printable(r rune) rune {
	if strconv.IsPrint(r) {
		return r
	}
	return ' '
}

// mostOutput bounds what is kept of a monitor command's output.
const mostOutput = 64 << 10

// Monitor gives the server a command of its own, as "monitor ..." does in gdb, and
// returns what it prints. The command may change whether the target runs: then
// the server says so, or Connect was not through yet.
func (c *Client) Monitor(ctx context.Context, command string) (string, error) {
	packet := "qRcmd," + hex.EncodeToString([]byte(command))
	var out []byte
	request := [][]byte{[]byte(packet)}
	if err := c.ready(ctx); err != nil {
		return "", err
	}
	if err := c.post(request); err != nil {
		return "", err
	}
	for {
		p, err := c.answer(ctx, request)
		switch {
		case err != nil:
			return string(out), fmt.Errorf("gdbremote: monitor %s: %w", command, err)
		case string(p) == "OK":
			return string(out), nil
		case isConsole(p):
			out = appendText(out, p[1:])
		case isRefusal(p):
			return string(out), &RefusedError{Packet: "monitor " + command, Answer: strings.TrimSpace(string(p) + " " + firstLine(string(out)))}
		default: // the output itself, in digits
			return string(appendText(out, p)), nil
		}
	}
}

func appendText(out, digits []byte) []byte {
	text := make([]byte, hex.DecodedLen(len(digits)))
	n, _ := hex.Decode(text, digits) // what is no text is none
	return append(out, text[:min(n, mostOutput-min(mostOutput, len(out)))]...)
}
