package sim

import (
	"fmt"
	"strings"
	"time"

	"github.com/mprof/mprof/sim/serial"
	"github.com/mprof/mprof/sim/wire"
)

// port is a UART of the board with what its hosts have of it.
type port struct {
	board   *Board
	name    string
	kind    string
	address uint32
	line    *serial.Line
	frame   func() uint64 // cycles of ten bits

	hosts  int       // that listen
	came   []arrived // and what they have not read
	lost   uint64    // what they read too late
	heard  uint64    // bytes of the firmware's in all
	answer func(Byte) []byte
}

// arrived is a byte at the host.
type arrived struct {
	b  byte
	at wire.Instant
}

// mostUnread is how many bytes a host's side keeps for it.
const mostUnread = 4 << 20

// Byte is a byte that the firmware has sent: At is when its stop bit was
// through, on the board's clock.
type Byte struct {
	Value byte
	At    time.Duration
}

// connectPort makes a port one of the board's.
func (b *Board) connectPort(p *port) {
	p.board = b
	p.line.ToHost = p.toHost
	b.ports = append(b.ports, p)
}

// toHost is a byte of the firmware's at its cycle. Where nobody listens it is
// gone.
func (p *port) toHost(v byte, cycle uint64) {
	b := p.board
	at := wire.Cycles(cycle, b.hz) + b.stood
	p.heard++
	if p.answer != nil {
		p.line.Send(p.answer(Byte{v, at.Duration()}), cycle)
	}
	if p.hosts == 0 {
		return
	}
	if len(p.came) == mostUnread {
		p.lost++
		return
	}
	p.came = append(p.came, arrived{v, at})
	b.moved.Broadcast()
}

// take moves bytes that were there by an instant.
func (p *port) take(dst []byte, by wire.Instant) (n int) {
	for n < len(dst) && n < len(p.came) && p.came[n].at <= by {
		dst[n] = p.came[n].b
		n++
	}
	if p.came = p.came[n:]; len(p.came) == 0 {
		p.came = nil
	}
	return n
}

// Port describes a UART of the board.
type Port struct {
	Name    string // "UART0", "USART2"
	Kind    string // whose it is
	Address uint32 // of its registers
	Baud    int    // as the firmware has set it; 0: not yet
	Sent    uint64 // bytes that the firmware has sent, heard or not
}

// Ports lists the UARTs of the board in the order of their numbers.
func (b *Board) Ports() (all []Port) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.ports {
		all = append(all, Port{p.name, p.kind, p.address, p.baud(), p.heard})
	}
	return all
}

func (p *port) baud() int {
	n := p.frame()
	if n == 0 {
		return 0
	}
	return int((uint64(p.board.hz)*10 + n/2) / n)
}

// portByName finds a UART; "" is the first that has sent or else has a rate, or
// else the first of all.
func (b *Board) portByName(name string) (*port, error) {
	if len(b.ports) == 0 {
		return nil, fmt.Errorf("sim: the board has no UART: choose one of %s", strings.Join(Boards(), ", "))
	}
	best, rank := b.ports[0], 0
	var names []string
	for _, p := range b.ports {
		if name != "" && strings.EqualFold(p.name, name) {
			return p, nil
		}
		names = append(names, p.name)
		r := 0
		switch {
		case p.heard > 0:
			r = 2
		case p.frame() > 0:
			r = 1
		}
		if r > rank {
			best, rank = p, r
		}
	}
	if name != "" {
		return nil, fmt.Errorf("sim: UART %q: unknown; there are %s", name, strings.Join(names, ", "))
	}
	return best, nil
}

// AwaitUART lets time pass on the board, from where it stands and as fast as it
// goes, until the firmware has given one of the UARTs a rate, and says which was
// the first. An error: none has one after most.
func (b *Board) AwaitUART(most time.Duration) (name string, err error) {
	const step = 5 * time.Microsecond // less than a frame
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.portByName(""); err != nil {
		return "", err
	}
	look := func() {
		for _, p := range b.ports {
			if name == "" && p.frame() > 0 {
				name = p.name
			}
		}
	}
	look()
	b.periphery.wrote = look
	defer func() { b.periphery.wrote = nil }()
	for end := b.now + wire.Span(most); name == "" && b.now < end; {
		b.elapse(b.now + wire.Span(step))
	}
	if name == "" {
		return "", fmt.Errorf("sim: the firmware has set up no UART in %v", most)
	}
	return name, nil
}
