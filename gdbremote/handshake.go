package gdbremote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// features are what qSupported answered (GDB manual, E.4 "General Query Packets"):
// the value of "name=value", "+" or "-".
type features map[string]string

// Packet sizes, in bytes of a body. A server that tells none has the least one
// that servers are known for.
const (
	leastPacketSize = 400
	mostPacketSize  = 64 << 10
)

func parseFeatures(p []byte) features {
	f := features{}
	for part := range strings.SplitSeq(string(p), ";") {
		if name, value, ok := strings.Cut(part, "="); ok {
			f[name] = value
		} else if n := len(part) - 1; n > 0 {
			f[part[:n]] = part[n:]
		}
	}
	return f
}

func (f features) has(name string) bool { return f[name] == "+" }

// packetSize is the announced size within reason.
func (f features) packetSize() int {
	n, err := strconv.ParseUint(f["PacketSize"], 16, 32)
	if err != nil || n < 64 {
		return leastPacketSize
	}
	return int(min(n, mostPacketSize))
}

// handshake makes a fresh connection one that can be used.
func (c *Client) handshake(ctx context.Context, o Options) error {
	if err := c.wire.raw([]byte{'+'}); err != nil { // for whatever the server waits for
		return err
	}
	for _, step := range []func(context.Context) error{c.askFeatures, c.stopAcknowledging, c.identify} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	for _, command := range o.Monitor {
		text, err := c.Monitor(ctx, command)
		if err != nil {
			return err
		}
		if said := oneLine(text); said != "" { // QEMU and others do not refuse what they do not know
			c.remarks = append(c.remarks, "monitor "+command+": "+said)
		}
	}
	if err := c.attach(ctx, o.Attach); err != nil {
		return err
	}
	if err := c.describe(ctx); err != nil {
		return err
	}
	if err := c.askVCont(ctx); err != nil {
		return err
	}
	return c.measure(ctx)
}

// askFeatures asks what the server can do. Stop replies that were under way from
// before come first and are noted.
func (c *Client) askFeatures(ctx context.Context) error {
	// gdbserver describes an x86 only to those who know it: it is refused by name.
	p, err := c.ask(ctx, "qSupported:swbreak+;hwbreak+;vContSupported+;xmlRegisters=i386,arm,riscv")
	if err != nil {
		return err
	}
	c.features = parseFeatures(p)
	c.packetSize = c.features.packetSize()
	return nil
}

// stopAcknowledging turns acknowledges off where the server can: then requests may
// follow one another.
func (c *Client) stopAcknowledging(ctx context.Context) error {
	if !c.features.has("QStartNoAckMode") {
		return nil
	}
	p, err := c.ask(ctx, "QStartNoAckMode")
	if err == nil && string(p) == "OK" {
		c.wire.noAck.Store(true)
		c.pipelines = true
	}
	return err
}

// identify asks the server what it is. QEMU knows requests of its own, and gives
// up an answer that was not acknowledged when the next request comes; the others
// answer "monitor version", or refuse it, which harms nothing.
func (c *Client) identify(ctx context.Context) error {
	p, err := c.ask(ctx, "qqemu.sstepbits")
	if err != nil {
		return err
	}
	if bytes.HasPrefix(p, []byte("ENABLE=")) {
		c.server, c.pipelines = "QEMU", true
		return nil
	}
	text, err := c.Monitor(ctx, "version")
	var refused *RefusedError
	if errors.As(err, &refused) {
		return nil
	}
	if c.server = firstLine(text); strings.HasPrefix(c.server, "Invalid Command") { // pyOCD 0.13 refuses so
		c.server = ""
	}
	return err
}

// attach makes the server take a target where it needs to be told, and asks
// whether the target stands.
func (c *Client) attach(ctx context.Context, argument string) error {
	if c.features.has("QNonStop") {
		if err := c.tryNonStop(ctx); err != nil {
			return err
		}
	}
	question := "?"
	if argument != "" {
		if _, err := c.ask(ctx, "!"); err != nil { // "extended" mode, where there is one
			return err
		}
		question = "vAttach;" + argument
	}
	p, err := c.ask(ctx, question)
	if err != nil {
		return err
	}
	return c.whether(ctx, question, p)
}

// whether takes the answer that says whether the target stands.
func (c *Client) whether(ctx context.Context, question string, p []byte) error {
	s, isStop, ended := parseStop(p)
	switch {
	case isStop && ended != nil, isStop && p[0] == 'N':
		return fmt.Errorf("gdbremote: %s: %w (%s)", question, ErrNoTarget, shortened(p))
	case isStop:
		c.stopped(s, nil)
		c.latest.Already = true
		c.unaccepted = c.nonStop
		_, err := c.stop(ctx)
		return err
	case string(p) == "OK" && c.nonStop:
		c.halted = false
		_, err := c.ask(ctx, "Hg0") // gdbserver has no registers before a thread is chosen
		return err
	}
	return refusal(question, p)
}

// tryNonStop asks for non-stop mode, in which the server answers while the target
// runs.
func (c *Client) tryNonStop(ctx context.Context) error {
	p, err := c.ask(ctx, "QNonStop:1")
	if err != nil {
		return err
	}
	c.nonStop = string(p) == "OK"
	return nil
}

// askVCont asks how the target is resumed.
func (c *Client) askVCont(ctx context.Context) error {
	p, err := c.ask(ctx, "vCont?")
	if err != nil {
		return err
	}
	actions, ok := bytes.CutPrefix(p, []byte("vCont"))
	if !ok { // pyOCD 0.13 has vCont, and misspells it here
		actions, ok = bytes.CutPrefix(p, []byte("v_cont"))
	}
	if !ok {
		if c.nonStop { // which cannot be without vCont
			return &RefusedError{Packet: "vCont?", Answer: shortened(p)}
		}
		return nil
	}
	c.vCont = string(bytes.ReplaceAll(actions, []byte{';'}, nil))
	return nil
}
