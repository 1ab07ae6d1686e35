//go:build cgo && linux

package usb_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/usb"
	"github.com/mprof/mprof/sim/usbfs"
)

// haltRole exchanges packets; each time it is told that an endpoint was halted,
// one exchange may fail, with an error that is no disconnection.
func haltRole(ctx context.Context, args []string) error {
	tr, _, err := usb.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer tr.Close()
	for i := range 9 {
		for j := range 3 { // so many that host and device differ if only one of them begins anew
			if err := echo(ctx, tr, byte(3*i+j)); err != nil {
				return err
			}
		}
		fmt.Println("ready")
		if _, err := stdin.ReadString('\n'); err != nil {
			return err
		}
		if err := echo(ctx, tr, 0xEE); err == nil || errors.Is(err, probe.ErrDisconnected) || errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("an endpoint is halted: %v", err)
		}
		if err := resync(ctx, tr, byte(0xA0+i)); err != nil {
			return err
		}
	}
	return nil
}

func echo(ctx context.Context, tr probe.Transport, mark byte) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	request, buf := []byte{0x80, mark}, make([]byte, tr.PacketSize())
	if err := tr.WritePacket(ctx, request); err != nil {
		return err
	}
	n, err := tr.ReadPacket(ctx, buf)
	if err == nil && !bytes.HasPrefix(buf[:n], request) {
		err = fmt.Errorf("sent % x, got % x", request, buf[:n])
	}
	return err
}

// resync sends a packet and takes up what comes until its answer.
func resync(ctx context.Context, tr probe.Transport, mark byte) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	buf := make([]byte, tr.PacketSize())
	if err := tr.WritePacket(ctx, []byte{0x80, mark}); err != nil {
		return fmt.Errorf("after the halt: %w", err)
	}
	for range 10 {
		if n, err := tr.ReadPacket(ctx, buf); err == nil && n > 1 && buf[1] == mark {
			return nil
		} else if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("after the halt: %w", err)
		}
	}
	return errors.New("after the halt: no answer")
}

// TestLibusbHalt: a halted endpoint costs the exchange under way and works
// again, with the data toggles of host and device in step.
func TestLibusbHalt(t *testing.T) {
	for _, c := range []usbfs.Config{bulkConfig, hidConfig} {
		for _, in := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, IN %v", c.Serial, in), func(t *testing.T) {
				t.Parallel()
				b := newBus(t)
				d := plug(t, b, c)
				p := start(t, b, "halt "+c.Serial)
				for range 9 {
					p.expect("ready")
					d.Stall(in)
					fmt.Fprintln(p.input, "halted")
				}
				p.end()
				if d.Halted(in) {
					t.Error("the halt was never cleared")
				}
				if d.Driver(1) != "cdc_acm" {
					t.Error("the serial port lost its driver")
				}
			})
		}
	}
}
