package lockstep

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// rspClient speaks the gdb remote serial protocol (GDB manual, appendix E) over
// a stream, one request at a time.
type rspClient struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
	buf  []byte
	ack  []byte // what acknowledges the answer before: "+", or nothing
}

// rspPatience is how long a server may take for one answer.
const rspPatience = 60 * time.Second

// newRSP makes a stream to a server ready for requests. Whatever the server had
// queued for an earlier state of affairs is discarded, up to the answer to
// qSupported.
func newRSP(conn net.Conn) (*rspClient, error) {
	c := &rspClient{conn: conn, in: bufio.NewReaderSize(conn, 8192)}
	if err := c.handshake(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *rspClient) handshake() error {
	if err := c.send("qSupported:xmlRegisters=arm"); err != nil {
		return err
	}
	for {
		p, err := c.receive()
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
	p, err := c.ask("QStartNoAckMode")
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
	for off := 0; ; {
		p, err := c.ask("qXfer:features:read:target.xml:%x,ffb", off)
		if err != nil {
			return err
		}
		if len(p) == 0 || p[0] != 'm' {
			return nil
		}
		off += len(p) - 1
	}
}

// send writes one packet: $text#checksum.
func (c *rspClient) send(text string) error { return c.sendAll([]string{text}) }

// sendAll writes packets that are answered one after the other.
func (c *rspClient) sendAll(texts []string) error {
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
	if err := c.conn.SetDeadline(time.Now().Add(rspPatience)); err != nil {
		return err
	}
	_, err := c.conn.Write(c.out)
	return err
}

// receive reads one packet and takes off framing, escapes and run lengths. The
// result is valid until the next call.
func (c *rspClient) receive() ([]byte, error) {
	for {
		b, err := c.in.ReadByte()
		if err != nil {
			return nil, fmt.Errorf("lockstep: gdb server: %w", err)
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
			return nil, fmt.Errorf("lockstep: gdb server: %w", err)
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
				return nil, errors.New("lockstep: gdb server: run length without a character")
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

func (c *rspClient) checkSum(want byte) error {
	var digits [2]byte
	for i := range digits {
		b, err := c.in.ReadByte()
		if err != nil {
			return fmt.Errorf("lockstep: gdb server: %w", err)
		}
		digits[i] = b
	}
	got, err := hex.DecodeString(string(digits[:]))
	if err != nil || got[0] != want {
		return fmt.Errorf("lockstep: gdb server: checksum %q, counted %02x", digits, want)
	}
	return nil
}

// ask sends a request and returns the answer, which is valid until the next one.
func (c *rspClient) ask(format string, args ...any) ([]byte, error) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	if err := c.send(text); err != nil {
		return nil, err
	}
	return c.receive()
}

func (c *rspClient) expectOK(text string) error {
	p, err := c.ask("%s", text)
	if err != nil {
		return err
	}
	if string(p) != "OK" {
		return fmt.Errorf("lockstep: gdb server: %s: answer %q", text, p)
	}
	return nil
}

// readMemory reads in pieces that fit the server's packet: 2 digits a byte.
func (c *rspClient) readMemory(addr uint32, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), 1024)
		ans, err := c.ask("m%x,%x", addr, n)
		if err != nil {
			return err
		}
		if len(ans) != 2*n {
			return fmt.Errorf("lockstep: gdb server: read 0x%08x+%d: answer %q", addr, n, ans)
		}
		if _, err := hex.Decode(p[:n], ans); err != nil {
			return fmt.Errorf("lockstep: gdb server: read 0x%08x+%d: %w", addr, n, err)
		}
		p, addr = p[n:], addr+uint32(n)
	}
	return nil
}
