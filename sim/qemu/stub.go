package qemu

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// Stub speaks the gdb remote serial protocol (GDB manual, appendix E) with a machine's
// gdb server, packet by packet: for tests that step, write registers, or play the server
// themselves. A session of mprof is gdbremote's.
type Stub struct {
	m    *Machine
	conn net.Conn
	in   *bufio.Reader
	out  []byte
	buf  []byte
	ack  []byte // what acknowledges the answer before: "+", or nothing
}

// Stub connects to the gdb server, which halts the machine. Whatever the server had
// queued for an earlier state of affairs is discarded, up to the answer to
// qSupported.
func (m *Machine) Stub() (*Stub, error) {
	if m.GDB == "" {
		return nil, errors.New("qemu: it runs without Options.GDB")
	}
	conn, err := m.dial(m.GDB)
	if err != nil {
		return nil, fmt.Errorf("qemu: gdb server: %w", err)
	}
	c := &Stub{m: m, conn: conn, in: bufio.NewReaderSize(conn, 8192)}
	if err := c.handshake(); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// Close closes the connection. A halted machine stays halted.
func (c *Stub) Close() error { return c.conn.Close() }

func (c *Stub) handshake() error {
	if err := c.Send("qSupported:xmlRegisters=arm"); err != nil {
		return err
	}
	for {
		p, err := c.Receive()
		if err != nil {
			return err
		}
		if strings.Contains(string(p), "PacketSize") {
			break
		}
	}
	// The server of QEMU 7.2 answers nothing: it wants acknowledgements, which go
	// out with the next request.
	c.ack = []byte("+")
	p, err := c.Ask("QStartNoAckMode")
	if err != nil {
		return err
	}
	if string(p) == "OK" {
		if _, err := c.conn.Write(c.ack); err != nil {
			return err
		}
		c.ack = nil
	}
	// The server numbers its registers only once their description was read.
	_, err = c.Describe("target.xml")
	return err
}

// Describe reads a part of the description of registers.
func (c *Stub) Describe(name string) (string, error) {
	for text := ""; ; {
		p, err := c.Ask("qXfer:features:read:%s:%x,ffb", name, len(text))
		if err != nil {
			return "", err
		}
		if len(p) == 0 || p[0] != 'm' && p[0] != 'l' {
			return "", fmt.Errorf("qemu: gdb server: %s: answer %q", name, p)
		}
		text += string(p[1:])
		if p[0] == 'l' {
			return text, nil
		}
	}
}

// Send writes packets, $text#checksum, which are answered one after the other.
func (c *Stub) Send(texts ...string) error {
	c.out = c.out[:0]
	for _, text := range texts {
		sum := byte(0)
		for i := range len(text) {
			sum += text[i]
		}
		c.out = append(append(c.out, c.ack...), '$')
		c.out = append(c.out, text...)
		c.out = append(c.out, '#', "0123456789abcdef"[sum>>4], "0123456789abcdef"[sum&15])
	}
	if err := c.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return c.lost(err)
	}
	if _, err := c.conn.Write(c.out); err != nil {
		return c.lost(err)
	}
	return nil
}

// lost is the error of a connection.
func (c *Stub) lost(err error) error {
	err = fmt.Errorf("qemu: gdb server: %w", err)
	if c.m == nil { // it is a test that speaks
		return err
	}
	return c.m.Failed(err)
}

// Receive reads one packet and takes off framing, escapes and run lengths. The
// result is valid until the next call.
func (c *Stub) Receive() ([]byte, error) {
	for {
		b, err := c.in.ReadByte()
		if err != nil {
			return nil, c.lost(err)
		}
		if b == '$' {
			break
		}
	}
	c.buf = c.buf[:0]
	sum, escaped, run := byte(0), false, false
	for {
		b, err := c.in.ReadByte()
		if err != nil {
			return nil, c.lost(err)
		}
		if b == '#' && !escaped && !run {
			return c.buf, c.checkSum(sum)
		}
		sum += b
		switch {
		case escaped:
			c.buf, escaped = append(c.buf, b^0x20), false
		case run:
			if len(c.buf) == 0 || b < 29 {
				return nil, errors.New("qemu: gdb server: run length without a character")
			}
			for last := c.buf[len(c.buf)-1]; b > 29; b-- {
				c.buf = append(c.buf, last)
			}
			run = false
		case b == '}':
			escaped = true
		case b == '*':
			run = true
		default:
			c.buf = append(c.buf, b)
		}
	}
}

func (c *Stub) checkSum(want byte) error {
	var digits [2]byte
	for i := range digits {
		b, err := c.in.ReadByte()
		if err != nil {
			return c.lost(err)
		}
		digits[i] = b
	}
	got, err := hex.DecodeString(string(digits[:]))
	if err != nil || got[0] != want {
		return fmt.Errorf("qemu: gdb server: checksum %q, counted %02x", digits, want)
	}
	return nil
}

// Ask sends a request and returns the answer, which is valid until the next one.
func (c *Stub) Ask(format string, args ...any) ([]byte, error) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	if err := c.Send(text); err != nil {
		return nil, err
	}
	return c.Receive()
}

// AskOK sends a request whose answer is OK.
func (c *Stub) AskOK(format string, args ...any) error {
	p, err := c.Ask(format, args...)
	if err == nil && string(p) != "OK" {
		err = fmt.Errorf("qemu: gdb server: %s: answer %q", fmt.Sprintf(format, args...), p)
	}
	return err
}

// Step executes one instruction, or takes an exception.
func (c *Stub) Step() error {
	p, err := c.Ask("s")
	if err == nil && (len(p) == 0 || p[0] != 'T') {
		err = fmt.Errorf("qemu: gdb server: step: answer %q", p)
	}
	return err
}

// Registers reads the first len(regs) registers, which have 32 bits.
func (c *Stub) Registers(regs []uint32) error {
	p, err := c.Ask("g")
	if err != nil {
		return err
	}
	if len(p) < 8*len(regs) {
		return fmt.Errorf("qemu: gdb server: registers: answer %q", p)
	}
	for i := range regs {
		var raw [4]byte
		if _, err := hex.Decode(raw[:], p[8*i:8*i+8]); err != nil {
			return fmt.Errorf("qemu: gdb server: registers: %w", err)
		}
		regs[i] = binary.LittleEndian.Uint32(raw[:])
	}
	return nil
}

// ReadMemory reads in pieces that fit the server's packet: 2 digits a byte.
func (c *Stub) ReadMemory(addr uint32, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), 1024)
		ans, err := c.Ask("m%x,%x", addr, n)
		if err != nil {
			return err
		}
		if len(ans) != 2*n {
			return fmt.Errorf("qemu: gdb server: read 0x%08x+%d: answer %q", addr, n, ans)
		}
		if _, err := hex.Decode(p[:n], ans); err != nil {
			return fmt.Errorf("qemu: gdb server: read 0x%08x+%d: %w", addr, n, err)
		}
		p, addr = p[n:], addr+uint32(n)
	}
	return nil
}
