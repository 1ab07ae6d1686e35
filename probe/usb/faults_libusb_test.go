//go:build cgo && linux

package usb_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/probetest"
	"github.com/mprof/mprof/probe/usb"
	"github.com/mprof/mprof/sim/usbfs"
)

// holdRole opens a probe and keeps it.
func holdRole(ctx context.Context, args []string) error {
	tr, _, err := usb.Open(ctx, args[0])
	if err != nil {
		return err
	}
	fmt.Println("open")
	bufio.NewReader(os.Stdin).ReadString('\n')
	return tr.Close()
}

func TestLibusbBusy(t *testing.T) {
	b := newBus(t)
	plug(t, b, bulkConfig)
	first := start(t, b, "hold E6614103")
	first.expect("open")
	second := start(t, b, "hold E6614103")
	second.expect("the probe is in use by another program")
	second.input.Close()
	second.cmd.Wait()
	first.end()
	run(t, b, "hold E6614103")
}

// cancelRole reads where nothing comes, with an end of ctx, and then talks as if
// nothing had been.
func cancelRole(ctx context.Context, args []string) error {
	tr, _, err := usb.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer tr.Close()
	buf := make([]byte, tr.PacketSize())
	for i := range 20 {
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		_, err := tr.ReadPacket(short, buf)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("read where nothing comes: %v", err)
		}
		request := []byte{0x80, byte(i)}
		if err := tr.WritePacket(ctx, request); err != nil {
			return err
		}
		if n, err := tr.ReadPacket(ctx, buf); err != nil || !bytes.HasPrefix(buf[:n], request) {
			return fmt.Errorf("round %d: % x, %v", i, buf[:n], err)
		}
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if err := tr.WritePacket(done, []byte{1}); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("cancelled write: %v", err)
	}
	return nil
}

func TestLibusbCancel(t *testing.T) {
	for _, c := range []usbfs.Config{bulkConfig, hidConfig} {
		b := newBus(t)
		plug(t, b, c)
		run(t, b, "cancel "+c.Serial)
	}
}

// unplugRole waits for a response while the probe is pulled, and does
// everything with it afterwards that a program might.
func unplugRole(ctx context.Context, args []string) error {
	tr, _, err := usb.Open(ctx, args[0])
	if err != nil {
		return err
	}
	fmt.Println("open")
	buf := make([]byte, tr.PacketSize())
	if _, err := tr.ReadPacket(ctx, buf); !errors.Is(err, probe.ErrDisconnected) {
		return fmt.Errorf("the read under way: %v", err)
	}
	if _, err := tr.ReadPacket(ctx, buf); !errors.Is(err, probe.ErrDisconnected) {
		return fmt.Errorf("the next read: %v", err)
	}
	if err := tr.WritePacket(ctx, []byte{1}); !errors.Is(err, probe.ErrDisconnected) {
		return fmt.Errorf("the next write: %v", err)
	}
	if err := tr.Close(); err != nil {
		return err
	}
	if _, _, err := usb.Open(ctx, args[0]); !errors.Is(err, probe.ErrNotFound) {
		return fmt.Errorf("open again: %v", err)
	}
	return nil
}

func TestLibusbUnplug(t *testing.T) {
	for _, c := range []usbfs.Config{bulkConfig, hidConfig} {
		b := newBus(t)
		d := plug(t, b, c)
		p := start(t, b, "unplug "+c.Serial)
		p.expect("open")
		d.Unplug()
		p.end()
	}
}

// stalling refuses packets that begin with 0xEE.
type stalling struct{ *probetest.Responder }

func (s stalling) WritePacket(ctx context.Context, p []byte) error {
	if p[0] == 0xEE {
		return usbfs.ErrStall
	}
	return s.Responder.WritePacket(ctx, p)
}

func stallRole(ctx context.Context, args []string) error {
	tr, _, err := usb.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer tr.Close()
	err = tr.WritePacket(ctx, []byte{0xEE})
	if err == nil || errors.Is(err, probe.ErrDisconnected) {
		return fmt.Errorf("a write that stalls: %v", err)
	}
	_, err = probe.Identify(ctx, tr)
	return err
}

func TestLibusbStall(t *testing.T) {
	b := newBus(t)
	if _, err := b.Plug(bulkConfig, stalling{identifiable(64)}); err != nil {
		t.Fatal(err)
	}
	run(t, b, "stall E6614103")
}
