//go:build cgo && linux

package usb_test

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"testing"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/usb"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/usbfs"
)

// attachRole opens the probe and uses the whole driver on the target.
func attachRole(ctx context.Context, args []string) error {
	tr, d, err := usb.Open(ctx, args[0])
	if err != nil {
		return err
	}
	p, err := probe.Open(ctx, tr, probe.Options{})
	if err != nil {
		return errors.Join(err, tr.Close())
	}
	cpuid, err := p.ReadWord(ctx, 0xE000ED00)
	if err != nil {
		return errors.Join(err, p.Close())
	}
	from, err := strconv.ParseUint(args[1], 0, 32)
	if err != nil {
		return err
	}
	flash := make([]byte, 5000)
	if err := p.ReadMemory(ctx, uint32(from), flash); err != nil {
		return errors.Join(err, p.Close())
	}
	fmt.Printf("%s CPUID 0x%08x, flash %08x\n", d.Kind, cpuid, crc32.ChecksumIEEE(flash))
	again := make([]byte, len(flash))
	for range 3 {
		if err := p.ReadMemory(ctx, uint32(from), again); err != nil || !bytes.Equal(again, flash) {
			return errors.Join(fmt.Errorf("read again: %v, equal %v", err, bytes.Equal(again, flash)), p.Close())
		}
	}
	return p.Close()
}

// loaded is where the firmware is and what is there.
func loaded(t *testing.T) (addr uint64, data []byte) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(demo.ELF))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Filesz > 5000 {
			data, err := io.ReadAll(p.Open())
			if err != nil {
				t.Fatal(err)
			}
			return p.Paddr, data
		}
	}
	t.Fatal("nothing to load")
	return 0, nil
}

// TestLibusbAttach: the driver attaches to the simulated board through the real
// libusb: high-speed bulk, full-speed bulk, HID.
func TestLibusbAttach(t *testing.T) {
	addr, data := loaded(t)
	for _, model := range []string{"mcu-link", "debugprobe", "daplink-hid"} {
		t.Run(model, func(t *testing.T) {
			b := newBus(t)
			board, err := sim.New(sim.Options{ELF: demo.ELF, Model: model, CoreHz: 4_000_000})
			if err != nil {
				t.Fatal(err)
			}
			d, err := b.Plug(usbfs.ConfigOf(board.Model()), board.Transport())
			if err != nil {
				t.Fatal(err)
			}
			p := start(t, b, fmt.Sprintf("attach %s 0x%x", board.Model().Serial, addr))
			p.expect(fmt.Sprintf("CPUID 0x410fc241, flash %08x", crc32.ChecksumIEEE(data[:5000])))
			p.end()
			if n := d.Counts(); n.ZeroPackets != 0 {
				t.Errorf("%+v", n)
			}
		})
	}
}
