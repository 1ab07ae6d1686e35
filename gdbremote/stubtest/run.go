package stubtest

import (
	"fmt"
	"strings"
	"time"
)

// verbose answers requests with names.
func (c *session) verbose(body string) (string, bool) {
	switch {
	case body == "vCont?":
		return c.is.VCont, true
	case strings.HasPrefix(body, "vCont;") && c.is.VCont != "":
		return c.vCont(body[len("vCont;")])
	case strings.HasPrefix(body, "vAttach;") && c.is.NeedsAttach:
		if !c.scanned() {
			return "E01", true
		}
		c.attached = true
		c.Core.halt()
		return fmt.Sprintf(c.is.Reply, 5), true
	case body == "vStopped" && c.nonStop:
		return "OK", true
	case body == "vCtrlC" && c.nonStop:
		return c.vCont('t')
	}
	return "", true
}

// scanned tells whether the targets were looked for.
func (c *session) scanned() bool {
	for _, r := range c.Requests() {
		if strings.HasPrefix(r, "qRcmd,") && r != "qRcmd,76657273696f6e" {
			return true
		}
	}
	return false
}

func (c *session) vCont(action byte) (string, bool) {
	switch action {
	case 't':
		if c.Core.halt() {
			if err := c.reply("OK", true); err != nil {
				return "", false
			}
			_, _ = c.conn.Write(frame('%', "Stop:"+fmt.Sprintf(c.is.Reply, c.is.Signal), false)) // a client that went away shows at the next read
			return "", false
		}
		return "OK", true
	case 'c', 'C', 's', 'S':
		text, ok := c.resume(action == 's' || action == 'S')
		if c.nonStop {
			return "OK", true
		}
		return text, ok
	}
	return "E16", true
}

// resume lets the core run; a step is a run that ends at once.
func (c *session) resume(step bool) (string, bool) {
	if !c.attached {
		return "E01", true
	}
	c.Core.Start()
	if step {
		c.Core.halt()
		return fmt.Sprintf(c.is.Reply, 5), true
	}
	if c.interruptKept {
		c.interruptKept = false
		c.Core.halt()
		return fmt.Sprintf(c.is.Reply, c.is.Signal), true
	}
	c.stopDue = true
	return "", false
}

// interrupt halts the core for the interrupt byte.
func (c *session) interrupt() error {
	f, wait := c.note(Interrupt)
	time.Sleep(wait)
	if f != nil && f.Do == Slow {
		time.Sleep(f.For)
	}
	if f != nil && f.Do == Ignore {
		return nil
	}
	if !c.Core.halt() {
		c.interruptKept = c.is.KeepsInterrupt
		return nil
	}
	c.stopDue = false
	reply := fmt.Sprintf(c.is.Reply, c.is.Signal)
	if f == nil || f.Do == Slow {
		return c.reply(reply, true)
	}
	switch f.Do {
	case Hang:
		c.hung = true
		return nil
	case Answer:
		return c.send(f.Text)
	case Before:
		if err := c.send(f.Text); err != nil {
			return err
		}
		return c.send(reply)
	}
	return c.spoil(f, reply)
}

// haltByByte is QEMU's way: the byte is gone.
func (c *session) haltByByte() error {
	c.note(Interrupt)
	c.Core.halt()
	c.stopDue = false
	return c.send(fmt.Sprintf(c.is.Reply, c.is.Signal))
}

// tellStop tells of a halt that nobody asked for.
func (c *session) tellStop(signal byte) error {
	reply := fmt.Sprintf(c.is.Reply, signal)
	if c.nonStop {
		_, err := c.conn.Write(frame('%', "Stop:"+reply, false))
		return err
	}
	if !c.stopDue {
		return nil
	}
	c.stopDue = false
	return c.send(reply)
}
