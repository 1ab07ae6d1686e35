package stubtest

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Stub is a server. It serves one connection at a time, and the core outlives all
// of them.
type Stub struct {
	Core *Core
	is   Personality

	mu      sync.Mutex
	faults  faults
	latency time.Duration
	log     []string // requests, in order
}

// New makes a server for a core.
func New(core *Core, is Personality, list ...Fault) *Stub {
	return &Stub{Core: core, is: is, faults: newFaults(list)}
}

// Delay makes every answer take some time.
func (s *Stub) Delay(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latency = d
}

// Requests are the packets that came, and Interrupt for the byte.
func (s *Stub) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.log...)
}

// session is one connection.
type session struct {
	*Stub
	conn     io.ReadWriter
	noAck    bool
	nonStop  bool
	attached bool
	numbered bool // target.xml was read
	stopDue  bool // the client waits for a stop reply
	// interruptKept: an interrupt came while the target stood.
	interruptKept bool
	held          string // an answer that comes with the next
	isHeld        bool
	unacked       []byte // the latest packet, until it is acknowledged
	resends       int
	hung          bool
}

// errEnded ends a session.
var errEnded = fmt.Errorf("stubtest: the session is over")

// Serve talks to one client until it goes away.
func (s *Stub) Serve(conn io.ReadWriter) {
	c := &session{Stub: s, conn: conn, attached: !s.is.NeedsAttach}
	if s.is.HaltsOnConnect && s.Core.halt() && s.is.Greeting != "" {
		_ = c.send(s.is.Greeting) // a client that went away shows below
	}
	bytes, ended := make(chan []byte), make(chan struct{})
	defer close(ended)
	go receive(conn, bytes, ended)
	var in []byte
	for {
		select {
		case p, ok := <-bytes:
			if !ok {
				return
			}
			rest, err := c.take(append(in, p...))
			if err != nil {
				return
			}
			in = rest
		case signal := <-s.Core.stops:
			if err := c.tellStop(signal); err != nil {
				return
			}
		}
	}
}

func receive(conn io.Reader, to chan<- []byte, ended <-chan struct{}) {
	defer close(to)
	for {
		p := make([]byte, 4096)
		n, err := conn.Read(p)
		select {
		case to <- p[:n]:
		case <-ended:
			return
		}
		if err != nil {
			return
		}
	}
}

// take deals with what was received and returns what is not complete yet.
func (c *session) take(in []byte) ([]byte, error) {
	for len(in) > 0 {
		if c.is.AnyByteHalts && c.unacked != nil && in[0] != '$' {
			// QEMU looks for the acknowledge of its latest packet first, whether
			// the target runs or not.
			if err := c.sign(in[0]); err != nil {
				return nil, err
			}
			in = in[1:]
			continue
		}
		if c.is.AnyByteHalts && c.Core.Running() {
			if err := c.haltByByte(); err != nil {
				return nil, err
			}
			in = in[1:]
			continue
		}
		if c.unacked != nil && c.is.StrictAcks && in[0] != '+' {
			if err := c.again(); err != nil {
				return nil, err
			}
			in = in[1:]
			continue
		}
		body, packet, good, used := unframe(in)
		if used == 0 {
			return in, nil
		}
		in = in[used:]
		if c.hung {
			continue
		}
		var err error
		switch {
		case packet:
			err = c.packet(body, good)
		case body == Interrupt:
			err = c.interrupt()
		default:
			err = c.sign(body[0])
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// sign takes an acknowledge.
func (c *session) sign(b byte) error {
	switch b {
	case '+':
		c.unacked = nil
	case '-':
		return c.again()
	}
	return nil
}

// again sends the latest packet once more.
func (c *session) again() error {
	if c.resends++; c.unacked == nil || c.resends > 3 {
		c.unacked = nil
		return nil
	}
	_, err := c.conn.Write(c.unacked)
	return err
}

func (c *session) packet(body string, good bool) error {
	if !c.noAck {
		sign := "-"
		if good {
			sign = "+"
		}
		if f := c.peek(body); f == nil || f.Do != Ignore {
			if _, err := io.WriteString(c.conn, sign); err != nil {
				return err
			}
		}
	}
	if !good {
		return nil
	}
	c.unacked = nil // who asks on has what came before
	return c.request(body)
}

// peek is the fault that the request will meet.
func (c *session) peek(body string) *Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := faults{c.faults.list, append([]int(nil), c.faults.seen...)}
	return f.on(body)
}

func (c *session) note(request string) (f *Fault, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, request)
	return c.faults.on(request), c.latency
}

// send writes a packet.
func (c *session) send(body string) error {
	if c.is.Capitals && strings.Trim(body, "0123456789abcdef") == "" {
		body = strings.ToUpper(body)
	}
	p := frame('$', body, c.is.RunLengths)
	if !c.noAck {
		c.unacked, c.resends = p, 0
	}
	_, err := c.conn.Write(p)
	return err
}
