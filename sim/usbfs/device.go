//go:build linux

package usbfs

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/mprof/mprof/probe"
)

// Device is a probe on the bus.
type Device struct {
	config    Config
	dir       string
	address   int
	transport probe.Transport
	listener  net.Listener
	ctx       context.Context
	cancel    context.CancelFunc
	running   sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond
	fifo    *fifo
	gone    bool
	clients map[*client]bool
	drivers map[uint32]string  // kernel drivers of the interfaces
	claims  map[uint32]*client // by interface
	out     []*urb             // on their way to the probe
	in      []*urb             // waiting for a response
	other   []*urb             // waiting on endpoints where nothing ever comes
	inbox   [][]byte           // responses that no transfer waits for
	owed    int                // responses to be read from the transport
	halts   [2]halt            // of OUT and IN
	counts  Counts
}

// Counts are what went over the bus.
type Counts struct {
	Requests, Responses int
	ZeroPackets         int // empty packets, or transfers that ask for one
	FullPackets         int // bulk transfers that fill a packet, so that an empty one would have to end them
	DeepestIn           int // most IN transfers waiting at a time
}

func newDevice(dir string, address int, c Config, t probe.Transport) (*Device, error) {
	d := &Device{config: c, dir: dir, address: address, transport: t,
		clients: map[*client]bool{}, claims: map[uint32]*client{}, drivers: c.drivers()}
	d.changed = sync.NewCond(&d.mu)
	d.ctx, d.cancel = context.WithCancel(context.Background())
	var err error
	if d.fifo, err = newFIFO(dir, address); err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "ioctl/dev", node(address))
	if err := os.MkdirAll(filepath.Dir(socket), 0o755); err != nil {
		return nil, err
	}
	if d.listener, err = net.Listen("unix", socket); err != nil {
		return nil, err
	}
	if err := os.Chmod(socket, 0o777); err != nil {
		return nil, err
	}
	if err := plant(dir, address, c); err != nil { // last: who sees it opens it
		return nil, err
	}
	for _, loop := range []func(){d.accept, d.sendLoop, d.receiveLoop} {
		d.running.Add(1)
		go func() {
			defer d.running.Done()
			loop()
		}()
	}
	return d, nil
}

// Node is the path of the device node, for changing its permissions.
func (d *Device) Node() string { return filepath.Join(d.dir, "dev", node(d.address)) }

// Port is where the device is plugged in.
func (d *Device) Port() int { return d.config.Port }

// Driver is the kernel driver that an interface has, "" for none.
func (d *Device) Driver(number int) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.drivers[uint32(number)]
}

// Counts is what went over the bus so far.
func (d *Device) Counts() Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts
}

func (d *Device) accept() {
	for {
		conn, err := d.listener.Accept()
		if err != nil {
			return
		}
		c := &client{device: d, remote: remote{conn: conn}}
		d.mu.Lock()
		d.clients[c] = true
		d.running.Add(1)
		d.mu.Unlock()
		go func() {
			defer d.running.Done()
			c.serve()
		}()
	}
}

// Unplug pulls the device: what is under way ends with ESHUTDOWN, what comes
// later with ENODEV, and it is off the bus.
func (d *Device) Unplug() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		return
	}
	d.gone = true
	uproot(d.dir, d.address, d.config.place())
	for _, u := range slices.Concat(d.out, d.in, d.other) {
		d.done(u, statusGone, nil)
	}
	d.out, d.in, d.other = nil, nil, nil
	d.changed.Broadcast()
	d.cancel()
}

func (d *Device) close() {
	d.Unplug()
	d.listener.Close()
	d.mu.Lock()
	for c := range d.clients {
		c.conn.Close()
	}
	d.mu.Unlock()
	d.running.Wait()
	d.fifo.close()
	d.transport.Close()
}

// done finishes a transfer: its program can reap it.
func (d *Device) done(u *urb, status int32, received []byte) {
	u.finish(status, received)
	if d.clients[u.client] {
		u.client.finished = append(u.client.finished, u)
		d.signal()
	}
}

// signal makes the node writable while something can be reaped.
func (d *Device) signal() {
	ready := false
	for c := range d.clients {
		ready = ready || len(c.finished) > 0
	}
	if err := d.fifo.set(ready); err != nil {
		panic(fmt.Sprintf("usbfs: device node: %v", err))
	}
}
