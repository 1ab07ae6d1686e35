//go:build cgo && linux

package usb_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/probetest"
	"github.com/mprof/mprof/probe/usb"
	"github.com/mprof/mprof/sim/usbfs"
)

// identifiable answers DAP_Info, and everything else with itself.
func identifiable(size int) *probetest.Responder {
	return probetest.NewResponder(size, func(p []byte) []byte {
		if p[0] != 0 {
			return p
		}
		switch p[1] {
		case 0xFE:
			return []byte{0, 1, 4}
		case 0xFF:
			return []byte{0, 2, byte(size), byte(size >> 8)}
		case 0xF0:
			return []byte{0, 1, 1}
		case 0x09:
			return []byte("\x00\x04v42\x00")
		}
		return []byte{0, 0}
	})
}

var (
	bulkConfig = usbfs.Config{VendorID: 0x2E8A, ProductID: 0x000C, Manufacturer: "Raspberry Pi", Product: "Debugprobe on Pico (CMSIS-DAP)",
		Serial: "E6614103", Interface: "CMSIS-DAP v2 Interface", PacketSize: 64}
	highConfig = usbfs.Config{VendorID: 0x1234, ProductID: 0x5678, Manufacturer: "Somebody", Product: "A board",
		Serial: "HS1", Interface: "CMSIS-DAP v2 Interface", PacketSize: 512}
	hidConfig = usbfs.Config{VendorID: 0x0D28, ProductID: 0x0204, Manufacturer: "Arm", Product: "DAPLink CMSIS-DAP",
		Serial: "0240", Interface: "CMSIS-DAP v1 Interface", HID: true, PacketSize: 64}
)

func plug(t testing.TB, b *usbfs.Bus, c usbfs.Config) *usbfs.Device {
	t.Helper()
	d, err := b.Plug(c, identifiable(c.PacketSize))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func listRole(ctx context.Context, _ []string) error {
	devices, err := usb.List(ctx)
	for _, d := range devices {
		fmt.Printf("%s | %s | %s | %s | %s | permission %v\n", d, d.Kind, d.Known, d.Product, d.Manufacturer, errors.Is(d.Problem, probe.ErrPermission))
	}
	return err
}

func TestLibusbList(t *testing.T) {
	b := newBus(t)
	plug(t, b, bulkConfig)
	plug(t, b, highConfig)
	plug(t, b, hidConfig)
	other := highConfig // a vendor interface of something else
	other.Interface, other.Serial = "Firmware update", "NOT"
	plug(t, b, other)
	other = highConfig // the RISC-V mode of a WCH-Link, by its name a known probe
	other.VendorID, other.ProductID, other.Product, other.Interface, other.Serial = 0x1A86, 0x8010, "WCH-Link", "", "RV"
	plug(t, b, other)
	want := `2e8a:000c Debugprobe on Pico (CMSIS-DAP) (serial E6614103) | CMSIS-DAP v2 | debugprobe | Debugprobe on Pico (CMSIS-DAP) | Raspberry Pi | permission false
1234:5678 A board (serial HS1) | CMSIS-DAP v2 |  | A board | Somebody | permission false
0d28:0204 DAPLink CMSIS-DAP (serial 0240) | CMSIS-DAP v1 | DAPLink | DAPLink CMSIS-DAP | Arm | permission false
`
	if got := run(t, b, "list"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestLibusbEmptyBus(t *testing.T) {
	if got := run(t, newBus(t), "list"); got != "" {
		t.Error(got)
	}
}

func identifyRole(ctx context.Context, args []string) error {
	tr, d, err := usb.Open(ctx, strings.Join(args, " "))
	if err != nil {
		return err
	}
	defer tr.Close()
	info, err := probe.Identify(ctx, tr)
	fmt.Printf("%s %s %d/%d firmware %s\n", d.Serial, d.Kind, info.PacketSize, info.PacketCount, info.Firmware)
	fmt.Println("open")
	bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return err
	}
	return tr.Close()
}

// TestLibusbOpen: each kind of probe opens and answers; the HID interface is
// given back to its kernel driver, and the serial port is left alone.
func TestLibusbOpen(t *testing.T) {
	withoutOut := hidConfig
	withoutOut.NoOut, withoutOut.Serial = true, "0241"
	for _, c := range []struct {
		config usbfs.Config
		kind   string
	}{{bulkConfig, usb.KindBulk}, {highConfig, usb.KindBulk}, {hidConfig, usb.KindHID}, {withoutOut, usb.KindHID}} {
		t.Run(c.config.Serial, func(t *testing.T) {
			b := newBus(t)
			d := plug(t, b, c.config)
			driver := d.Driver(0)
			p := start(t, b, "identify "+c.config.Serial)
			p.expect(fmt.Sprintf("%s %s %d/4 firmware v42", c.config.Serial, c.kind, c.config.PacketSize))
			p.expect("open")
			if d.Driver(0) != "" || d.Driver(1) != "cdc_acm" {
				t.Errorf("drivers while open: %q, %q", d.Driver(0), d.Driver(1))
			}
			p.end()
			if d.Driver(0) != driver || d.Driver(1) != "cdc_acm" {
				t.Errorf("drivers afterwards: %q, %q", d.Driver(0), d.Driver(1))
			}
			n := d.Counts()
			if n.ZeroPackets != 0 || n.Requests == 0 || n.Requests != n.Responses {
				t.Errorf("%+v", n)
			}
			if n.DeepestIn < 4 {
				t.Errorf("%d reads posted ahead, the probe answers 4 packets at once", n.DeepestIn)
			}
		})
	}
}

func TestLibusbOpenFails(t *testing.T) {
	b := newBus(t)
	plug(t, b, bulkConfig)
	plug(t, b, hidConfig)
	for _, c := range []struct{ name, want string }{
		{"", "2 probes are connected"},
		{"nobody", `probe "nobody": no probe found; there is 2e8a:000c`},
	} {
		p := start(t, b, "identify "+c.name)
		p.expect(c.want)
		p.input.Close()
		if err := p.cmd.Wait(); err == nil {
			t.Error("the child opened something")
		}
	}
}

// TestLibusbPermission: a node that the user may not open. As root the child
// runs as another user, because root may open everything.
func TestLibusbPermission(t *testing.T) {
	b := newBus(t)
	d := plug(t, b, bulkConfig)
	plug(t, b, hidConfig)
	if err := os.Chmod(d.Node(), 0); err != nil {
		t.Fatal(err)
	}
	var asNobody []func(*exec.Cmd)
	if os.Geteuid() == 0 {
		asNobody = append(asNobody, runAsNobody(t))
	}
	got := run(t, b, "list", asNobody...)
	if !strings.Contains(got, "2e8a:000c debugprobe (bus 1 device 2) |  | debugprobe |  |  | permission true\n") {
		t.Errorf("the probe that may not be opened is not listed with its problem:\n%s", got)
	}
	if !strings.Contains(got, "0240") {
		t.Errorf("the other probe is not listed:\n%s", got)
	}
	p := start(t, b, "identify 2e8a:000c", asNobody...)
	p.expect("open 2e8a:000c debugprobe (bus 1 device 2): no permission to open the probe")
	p.input.Close()
	p.cmd.Wait()
}

// runAsNobody runs a copy of this binary that everybody may read.
func runAsNobody(t *testing.T) func(*exec.Cmd) {
	const nobody = 65534
	return func(cmd *exec.Cmd) {
		data, err := os.ReadFile(cmd.Path)
		if err != nil {
			t.Fatal(err)
		}
		dir, err := os.MkdirTemp("", "usb")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.Path = dir + "/child"
		if err := os.WriteFile(cmd.Path, data, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}
