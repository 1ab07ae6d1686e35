package gdbremote

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// readOverhead is what an answer with memory needs besides it: a server may count
// the framing into its packet size, and QEMU counts a final zero.
const readOverhead = 8

// mostRead is how many bytes fit one answer.
func (c *Client) mostRead() int {
	// In binary each byte may need an escape: two bytes for one, as digits do.
	return (c.packetSize - readOverhead) / 2 &^ 3
}

// binaryReads: memory comes as it is, with escapes, instead of in digits (GDB
// manual, E.2, x).
func (c *Client) binaryReads() bool { return c.features.has("binary-upload") }

func (c *Client) readRequest(addr uint32, n int) []byte {
	kind := byte('m')
	if c.binaryReads() {
		kind = 'x'
	}
	return fmt.Appendf([]byte{kind}, "%x,%x", addr, n)
}

// memoryOf takes an answer with memory, which may be shorter than what was asked.
func (c *Client) memoryOf(request, answer []byte, most int) ([]byte, error) {
	if isRefusal(answer) {
		return nil, refusal(string(request), answer)
	}
	if request[0] == 'x' {
		if answer[0] != 'b' || len(answer)-1 > most {
			return nil, answerError(string(request), answer)
		}
		return answer[1:], nil
	}
	p := make([]byte, hex.DecodedLen(len(answer)))
	if _, err := hex.Decode(p, answer); err != nil || len(p) > most {
		return nil, answerError(string(request), answer)
	}
	return p, nil
}

// ReadMemory fills p from target memory at addr. The target must stand, or the
// server give access while it runs (ErrRunning).
func (c *Client) ReadMemory(ctx context.Context, addr uint32, p []byte) error {
	what := fmt.Sprintf("gdbremote: read 0x%08x+%d", addr, len(p))
	if uint64(addr)+uint64(len(p)) > 1<<32 {
		return fmt.Errorf("%s: past the end of the address space", what)
	}
	if err := c.mayAccess(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	var requests [][]byte
	piece := c.mostRead()
	for done := 0; done < len(p); done += piece {
		requests = append(requests, c.readRequest(addr+uint32(done), min(piece, len(p)-done)))
	}
	return c.exchange(ctx, requests, func(i int, answer []byte) error {
		part := p[i*piece : min(len(p), (i+1)*piece)]
		got, err := c.memoryOf(requests[i], answer, len(part))
		if n := copy(part, got); err == nil && n < len(part) {
			return fmt.Errorf("%s: the server gave %d of %d bytes at 0x%08x", what, n, len(part), addr+uint32(i*piece))
		}
		return accessError(what, answer, err)
	})
}

// accessError says a refusal with the whole range that was asked for.
func accessError(what string, answer []byte, err error) error {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return &RefusedError{Packet: strings.TrimPrefix(what, "gdbremote: "), Answer: shortened(answer)}
	}
	return err
}

// mayAccess refuses what would halt a running target or go unanswered.
func (c *Client) mayAccess() error {
	if err := c.collect(); err != nil {
		return err
	}
	switch {
	case c.ended != nil:
		return c.ended
	case c.halted, c.nonStop, c.answersRunning():
		return nil
	}
	return ErrRunning
}

// answersRunning: OpenOCD answers while the target runs, and reads and writes
// memory where the debug hardware can.
func (c *Client) answersRunning() bool { return strings.Contains(c.server, "Open On-Chip Debugger") }

// WriteMemory writes p to target memory at addr, in digits: every server takes
// those. The same holds of a running target as for ReadMemory.
func (c *Client) WriteMemory(ctx context.Context, addr uint32, p []byte) error {
	what := fmt.Sprintf("gdbremote: write 0x%08x+%d", addr, len(p))
	if uint64(addr)+uint64(len(p)) > 1<<32 {
		return fmt.Errorf("%s: past the end of the address space", what)
	}
	if err := c.mayAccess(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	const header = len("M01234567,01234567:")
	piece := (c.packetSize - readOverhead - header) / 2 &^ 3
	for done := 0; done < len(p); done += piece {
		part := p[done:min(len(p), done+piece)]
		answer, err := c.ask(ctx, fmt.Sprintf("M%x,%x:%x", addr+uint32(done), len(part), part))
		if err != nil {
			return err
		}
		if string(answer) != "OK" {
			return accessError(what, answer, refusal(what, answer))
		}
	}
	return nil
}
