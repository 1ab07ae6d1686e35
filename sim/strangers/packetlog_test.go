//go:build linux

package strangers

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/mprof/mprof/probe"
)

// packetLog stands between USB and the probe, and writes down every response
// that is not a success.
type packetLog struct {
	probe.Transport
	mu           sync.Mutex
	requests     [][]byte // without a response so far
	packets      int
	errors       []string
	disconnected func() // called before a DAP_Disconnect
}

func newPacketLog(t probe.Transport) *packetLog { return &packetLog{Transport: t} }

func (l *packetLog) WritePacket(ctx context.Context, p []byte) error {
	l.note(p)
	return l.Transport.WritePacket(ctx, p)
}

func (l *packetLog) note(request []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, append([]byte(nil), request...))
	const disconnect = 0x03
	if request[0] == disconnect && l.disconnected != nil {
		l.disconnected()
	}
}

func (l *packetLog) ReadPacket(ctx context.Context, p []byte) (int, error) {
	n, err := l.Transport.ReadPacket(ctx, p)
	if err != nil {
		return n, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.packets++
	request := l.requests[0]
	l.requests = l.requests[1:]
	if fault := complaint(request, p[:n]); fault != "" {
		l.errors = append(l.errors, fmt.Sprintf("packet %d: %s: % x answered % x", l.packets, fault, trim(request), trim(p[:n])))
	}
	return n, nil
}

// onDisconnect has f called before a DAP_Disconnect reaches the probe.
func (l *packetLog) onDisconnect(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.disconnected = f
}

// report is what went wrong so far, and forgets it.
func (l *packetLog) report() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := strings.Join(l.errors, "\n")
	l.errors = nil
	return s
}

// complaint says what a response reports, by the CMSIS-DAP command
// descriptions: an acknowledge other than OK, fewer transfers than asked, a
// status other than DAP_OK, a command that the probe does not know.
func complaint(request, response []byte) string {
	if len(request) < 1 || len(response) < 2 {
		return "too short"
	}
	id := response[0]
	switch {
	case id != request[0]:
		return "not the response to this command"
	case id == 0x05 && (len(response) < 3 || response[2] != 1):
		return "acknowledge"
	case id == 0x05 && response[1] != request[2]:
		return "fewer transfers"
	case id == 0x06 && (len(response) < 4 || response[3] != 1):
		return "acknowledge"
	case id == 0x06 && string(response[1:3]) != string(request[2:4]):
		return "fewer transfers"
	case id == 0x02 && response[1] == 0:
		return "no port"
	}
	switch id {
	case 0x01, 0x03, 0x04, 0x08, 0x09, 0x11, 0x12, 0x13, 0x1d: // answered with a status
		if response[1] != 0 {
			return "status"
		}
	}
	return ""
}

// trim drops the zeros at the end.
func trim(p []byte) []byte {
	for len(p) > 4 && p[len(p)-1] == 0 {
		p = p[:len(p)-1]
	}
	return p
}
