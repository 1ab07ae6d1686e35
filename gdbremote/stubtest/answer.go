package stubtest

import (
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// request answers one request, or does what its fault says.
func (c *session) request(body string) error {
	f, wait := c.note(body)
	time.Sleep(wait)
	if f == nil {
		return c.reply(c.answer(body))
	}
	switch f.Do {
	case Ignore:
		return nil
	case Hang:
		c.hung = true
		return nil
	case Answer:
		return c.send(f.Text)
	case Before:
		if err := c.send(f.Text); err != nil {
			return err
		}
		return c.reply(c.answer(body))
	case Slow:
		time.Sleep(f.For)
		return c.reply(c.answer(body))
	}
	text, ok := c.answer(body)
	if !ok {
		return nil
	}
	return c.spoil(f, text)
}

// spoil sends an answer in the way of a fault.
func (c *session) spoil(f *Fault, text string) error {
	switch f.Do {
	case Twice:
		if err := c.send(text); err != nil {
			return err
		}
		return c.send(text)
	case Late:
		c.held, c.isHeld = text, true
	case Damage, DamageIt:
		good := frame('$', text, c.is.RunLengths)
		bad := append([]byte(nil), good...)
		bad[len(bad)-1] ^= 1
		if !c.noAck {
			c.unacked, c.resends = good, 0
		}
		if f.Do == Damage && !c.noAck {
			c.unacked = bad
		}
		_, err := c.conn.Write(bad)
		return err
	case Cut:
		p := frame('$', text, false)
		_, _ = c.conn.Write(p[:len(p)/2]) // the end either way
		if closer, ok := c.conn.(io.Closer); ok {
			closer.Close()
		}
		return errEnded
	}
	return nil // Drop
}

// reply sends an answer, after one that was held back.
func (c *session) reply(text string, ok bool) error {
	if c.isHeld {
		c.isHeld = false
		if err := c.send(c.held); err != nil {
			return err
		}
	}
	if !ok {
		return nil
	}
	return c.send(text)
}

// answer is the answer to a request; ok is false where there is none yet.
func (c *session) answer(body string) (text string, ok bool) {
	if c.attached && c.Core.Running() && !c.is.AnswersRunning && !c.nonStop {
		return "", false
	}
	name := strings.TrimRight(strings.FieldsFunc(body+";", func(r rune) bool { return strings.ContainsRune(":;,", r) })[0], "0123456789abcdef")
	switch {
	case body[0] == 'F': // an answer of the client's
		return "", false
	case body == "?":
		return c.whether(), true
	case name == "qXfer":
		return c.features(body), true
	case body[0] == 'q' || body[0] == 'Q':
		return c.query(body), true
	case body[0] == 'v':
		return c.verbose(body)
	case body[0] == 'c', body[0] == 's':
		return c.resume(body[0] == 's')
	case body[0] == 'D' && !c.is.NoDetach:
		if !c.is.DetachStays {
			c.Core.Start()
		}
		c.attached = !c.is.NeedsAttach // a serial port knows no end of a session but this
		return "OK", true
	case body[0] == 'H', body[0] == '!':
		return "OK", true
	case !c.attached:
		return "E01", true
	}
	return c.access(body), true
}

func (c *session) whether() string {
	switch {
	case !c.attached:
		return "W00"
	case c.Core.Running() && c.nonStop:
		return "OK"
	case c.Core.Running():
		return "" // nobody asks a target that runs
	}
	return fmt.Sprintf(c.is.Reply, 5)
}

func (c *session) query(body string) string {
	name, rest, _ := strings.Cut(body, ":")
	switch {
	case name == "qSupported":
		c.noAck = false
		return c.is.Features
	case body == "QStartNoAckMode" && strings.Contains(c.is.Features, "QStartNoAckMode+"):
		c.noAck, c.unacked = true, nil
		return "OK"
	case name == "QNonStop" && strings.Contains(c.is.Features, "QNonStop+"):
		c.nonStop = rest == "1"
		return "OK"
	case name == "qqemu.sstepbits" && c.is.QEMUQueries:
		return "ENABLE=1,NOIRQ=2,NOTIMER=4"
	case strings.HasPrefix(body, "qRcmd,"):
		return c.monitor(body[len("qRcmd,"):])
	case body == "qfThreadInfo":
		return "m" + c.thread()
	case body == "qsThreadInfo":
		return "l"
	case name == "qAttached":
		return "1"
	case body == "qC":
		return "QC" + c.thread()
	}
	return ""
}

func (c *session) thread() string {
	if c.is.Thread == "" {
		return "1"
	}
	return c.is.Thread
}

// monitor runs a command of the server's own.
func (c *session) monitor(digits string) string {
	command, _ := hex.DecodeString(digits)
	switch {
	case string(command) == "version" && c.is.Version != "":
		if err := c.send("O" + hex.EncodeToString([]byte(c.is.Version))); err != nil {
			return ""
		}
		return "OK"
	case string(command) == "swdp_scan" && c.is.NeedsAttach:
		return hex.EncodeToString([]byte("Available Targets:\nNo. Att Driver\n 1      simulated\n"))
	case string(command) == "halt":
		c.Core.halt()
		return "OK"
	}
	return "E01"
}

// features reads a part of the description: qXfer:features:read:FILE:OFFSET,LENGTH.
func (c *session) features(body string) string {
	part := strings.Split(body, ":")
	if len(part) == 5 && part[1] == "threads" && strings.Contains(c.is.Features, "qXfer:threads:read+") {
		return `l<?xml version="1.0"?><threads><thread id="` + c.thread() + `"/></threads>`
	}
	if len(part) != 5 || part[1] != "features" || part[2] != "read" || !c.attached {
		return ""
	}
	text, ok := c.is.Files[part[3]]
	if !ok {
		return "E00"
	}
	off, size, err := pair(part[4])
	if err != nil || int(off) > len(text) {
		return "E01"
	}
	c.numbered = true
	if rest := text[off:]; len(rest) > int(size) {
		return "m" + rest[:size]
	}
	return "l" + text[off:]
}

// pair takes "1f,4" apart.
func pair(text string) (a, b uint32, err error) {
	first, second, _ := strings.Cut(text, ",")
	x, err := strconv.ParseUint(first, 16, 32)
	if err != nil {
		return 0, 0, err
	}
	y, err := strconv.ParseUint(second, 16, 32)
	return uint32(x), uint32(y), err
}
