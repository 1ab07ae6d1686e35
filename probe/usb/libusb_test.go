//go:build cgo && linux

package usb_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/probetest"
	"github.com/mprof/mprof/probe/usb"
	"github.com/mprof/mprof/sim/usbfs"
)

// These tests run the real gousb and libusb against devices of sim/usbfs. The
// preload library must be there from the start of a process, so each test
// starts this binary again, in a role.

const roleVariable = "MPROF_USB_TEST_ROLE"

// roles are what a child does, with its arguments; it tells the test by lines
// on its output and waits for it by lines on its input.
var roles = map[string]func(ctx context.Context, args []string) error{
	"list":     listRole,
	"identify": identifyRole,
	"attach":   attachRole,
	"cancel":   cancelRole,
	"unplug":   unplugRole,
	"hold":     holdRole,
	"stall":    stallRole,
	"commands": commandsRole,
}

func TestMain(m *testing.M) {
	role := strings.Fields(os.Getenv(roleVariable))
	if len(role) == 0 {
		os.Exit(m.Run())
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := roles[role[0]](ctx, role[1:]); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// newBus makes a bus, or skips where umockdev is missing; in CI that fails.
func newBus(t testing.TB) *usbfs.Bus {
	t.Helper()
	if _, err := usbfs.Preload(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	b, err := usbfs.NewBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// child is a process in a role.
type child struct {
	t     testing.TB
	cmd   *exec.Cmd
	lines *bufio.Scanner
	input io.WriteCloser
	log   bytes.Buffer
}

func start(t testing.TB, b *usbfs.Bus, role string, change ...func(*exec.Cmd)) *child {
	t.Helper()
	environ, err := b.Environ()
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, cmd: exec.Command(exe)}
	c.cmd.Env = append(append(os.Environ(), environ...), roleVariable+"="+role)
	c.cmd.Stderr = &c.log
	for _, f := range change {
		f(c.cmd)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewScanner(out)
	if c.input, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// expect reads one line of output, or fails.
func (c *child) expect(want string) {
	c.t.Helper()
	if !c.lines.Scan() {
		c.end()
		c.t.Fatalf("the child ended without %q: %s", want, c.log.String())
	}
	if got := c.lines.Text(); !strings.Contains(got, want) {
		c.t.Errorf("the child says %q, want %q", got, want)
	}
}

// end waits for the child, which must have succeeded, and returns what else it
// wrote.
func (c *child) end() string {
	c.t.Helper()
	c.input.Close()
	var rest strings.Builder
	for c.lines.Scan() {
		fmt.Fprintln(&rest, c.lines.Text())
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("child: %v\n%s%s", err, rest.String(), c.log.String())
	}
	if c.log.Len() > 0 {
		c.t.Errorf("the child complains: %s", c.log.String())
	}
	return rest.String()
}

// run is a child from start to end.
func run(t testing.TB, b *usbfs.Bus, role string, change ...func(*exec.Cmd)) string {
	t.Helper()
	return start(t, b, role, change...).end()
}

// firstLine is the first line of what a child wrote.
func firstLine(s string) string {
	l, _, _ := strings.Cut(s, "\n")
	return l
}

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
