//go:build cgo && linux

package usb_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/usb"
	"github.com/mprof/mprof/sim/usbfs"
)

var stdin = bufio.NewReader(os.Stdin)

// reopenRole opens a probe, and again whenever it has lost it.
func reopenRole(ctx context.Context, args []string) error {
	tr, d, err := usb.Open(ctx, args[0])
	if err != nil {
		return err
	}
	for range 2 {
		if err := echo(ctx, tr, 1); err != nil {
			return err
		}
		fmt.Println("open", d.Port)
		if _, err := tr.ReadPacket(ctx, make([]byte, tr.PacketSize())); !errors.Is(err, probe.ErrDisconnected) {
			return fmt.Errorf("unplugged: %v", err)
		}
		if err := tr.Close(); err != nil {
			return err
		}
		if _, err := usb.Reopen(ctx, d); !errors.Is(err, probe.ErrNotFound) {
			return fmt.Errorf("reopened while it was away: %v", err)
		}
		fmt.Println("lost")
		for {
			if tr, err = usb.Reopen(ctx, d); err == nil {
				break
			}
			if !errors.Is(err, probe.ErrNotFound) {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if err := echo(ctx, tr, 2); err != nil {
		return err
	}
	return tr.Close()
}

// TestLibusbReopen: a probe is known again by its serial number at any port, one
// without a number by its port; another of the same kind is not taken for it.
func TestLibusbReopen(t *testing.T) {
	nameless := bulkConfig
	nameless.Serial = ""
	for _, c := range []usbfs.Config{highConfig, nameless, hidConfig} {
		t.Run("serial "+c.Serial, func(t *testing.T) {
			t.Parallel()
			b := newBus(t)
			name := c.Serial
			if name == "" {
				name = fmt.Sprintf("%04x:%04x", c.VendorID, c.ProductID)
			}
			d := plug(t, b, c)
			p := start(t, b, "reopen "+name)
			for i := range 2 {
				p.expect("open 1-1")
				d.Unplug()
				p.expect("lost")
				other, again := c, c
				other.Port, other.Serial = 7+i, "OTHER"
				if again.Port = 1; c.Serial != "" {
					again.Port = 4 + i
				}
				plug(t, b, other).Unplug() // it comes and goes
				plug(t, b, func() usbfs.Config { other.Port = 20 + i; return other }())
				time.Sleep(20 * time.Millisecond)
				d = plug(t, b, again)
			}
			p.end()
		})
	}
}
