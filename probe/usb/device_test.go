package usb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/probe"
)

var bench = []Device{
	{VendorID: 0x0D28, ProductID: 0x0204, Bus: 1, Address: 5, Product: "DAPLink CMSIS-DAP", Manufacturer: "Arm", Serial: "0240000034544E45", Known: "DAPLink", Kind: KindHID},
	{VendorID: 0x2E8A, ProductID: 0x000C, Bus: 1, Address: 6, Product: "Debugprobe on Pico (CMSIS-DAP)", Manufacturer: "Raspberry Pi", Serial: "E6614103", Known: "debugprobe", Kind: KindBulk},
	{VendorID: 0x2E8A, ProductID: 0x000C, Bus: 1, Address: 7, Product: "Debugprobe on Pico (CMSIS-DAP)", Manufacturer: "Raspberry Pi", Serial: "E6614104", Known: "debugprobe", Kind: KindBulk},
	{VendorID: 0x1FC9, ProductID: 0x0143, Bus: 2, Address: 3, Known: "MCU-Link", Problem: probe.ErrPermission},
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		text    string
		from    []Device
		address int
		err     string
	}{
		{"", bench[:1], 5, ""},
		{"", bench, 0, "3 probes are connected (0d28:0204 DAPLink CMSIS-DAP (serial 0240000034544E45), 2e8a:000c"},
		{"", nil, 0, "no probe found"},
		{"", bench[3:], 3, ""}, // its problem is what the user must hear of
		{"e6614104", bench, 7, ""},
		{"0d28:0204", bench, 5, ""},
		{"0D28:0204", bench, 5, ""},
		{"0x2e8a:0xc:E6614103", bench, 6, ""},
		{"2e8a:000c", bench, 0, `"2e8a:000c" matches 2 probes`},
		{"1fc9:0143", bench, 3, ""},
		{"daplink", bench, 5, ""},
		{"raspberry", bench, 0, "choose one by its serial number"},
		{"mcu-link", bench, 3, ""},
		{"2e8a:000c:nobody", bench, 0, "no probe found; there is 0d28:0204"},
		{"ST-Link", bench[:1], 0, `probe "ST-Link": no probe found; there is 0d28:0204 DAPLink`},
		{"a:b:c:d", bench[:1], 0, "no probe found"},
	} {
		d, err := parseSelector(c.text).choose(c.from)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.err)
		}
		if d.Address != c.address {
			t.Errorf("%q: device %d, want %d", c.text, d.Address, c.address)
		}
	}
	if _, err := parseSelector("x").choose(nil); !errors.Is(err, probe.ErrNotFound) {
		t.Error(err)
	}
}

func TestKnownAs(t *testing.T) {
	for _, c := range []struct {
		vendor, product uint16
		text, want      string
	}{
		{0x0D28, 0x0204, "", "DAPLink"},
		{0x1FC9, 0x0143, "DAPLink CMSIS-DAP", "DAPLink"}, // firmware of another kind
		{0x1234, 0x5678, "free-dap CMSIS-DAP Adapter", "free-dap"},
		{0x1234, 0x5678, "A mouse", ""},
		{0x1FC9, 0x0143, "CMSIS-DAP V3.1", "MCU-Link"},
		{0x04B4, 0xF155, "KitProg3 CMSIS-DAP BULK", "KitProg3"},
		{0x1A86, 0x8012, "WCH-Link", "WCH-Link"},
		{0x03EB, 0x2111, "EDBG CMSIS-DAP", "Atmel EDBG"},
		{0x1915, 0x910A, "Thingy:91 X UART", "Nordic Thingy:91 X"},
	} {
		if got := knownAs(c.vendor, c.product, c.text); got != c.want {
			t.Errorf("%04x:%04x %q is %q, want %q", c.vendor, c.product, c.text, got, c.want)
		}
	}
}

func TestUdevRules(t *testing.T) {
	rule := UdevRule(bench[0])
	want := `SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="0d28", ATTR{idProduct}=="0204", MODE="0660", TAG+="uaccess"`
	if rule != want {
		t.Error(cmp.Diff(want, rule))
	}
	all := UdevRules()
	if !strings.Contains(all, rule+"\n") || !strings.Contains(all, `ATTR{product}=="*CMSIS-DAP*"`) {
		t.Error(all)
	}
	for _, l := range strings.Split(strings.TrimSpace(all), "\n") {
		if !strings.HasPrefix(l, "#") && strings.Count(l, `"`)%2 != 0 {
			t.Errorf("quotes do not match in %s", l)
		}
	}
}

func TestSysfs(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"1-1/busnum": "1\n", "1-1/devnum": "9\n", "1-1/product": "Mouse\n",
		"1-2/busnum": "1\n", "1-2/devnum": "4\n", "1-2/product": "Board\n", "1-2/serial": "77\n", "1-2/manufacturer": "Arm\n",
		"1-2:1.0/interface": "CMSIS-DAP v2\n", "1-2:1.1/bInterfaceNumber": "01\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, ok := sysfsTexts(root, 1, 4)
	if !ok || !got.isProbe() || got.product != "Board" || got.serial != "77" || got.manufacturer != "Arm" {
		t.Errorf("%+v, %v", got, ok)
	}
	if mouse, ok := sysfsTexts(root, 1, 9); !ok || mouse.isProbe() {
		t.Errorf("%+v, %v", mouse, ok)
	}
	if _, ok := sysfsTexts(root, 2, 4); ok {
		t.Error("a device that is not there")
	}
}

// A configuration as of a composite probe: bulk interface 2 whose IN endpoint
// has a higher address than its SWO endpoint, and a second setting of it.
var composite = []byte{
	9, 2, 64, 0, 2, 1, 0, 0x80, 50,
	9, 4, 0, 0, 1, 2, 2, 0, 0, 5, 0x24, 0, 0x10, 1, 7, 5, 0x88, 3, 8, 0, 16,
	9, 4, 2, 0, 3, 0xFF, 0, 0, 5, 7, 5, 0x04, 2, 64, 0, 0, 7, 5, 0x85, 2, 64, 0, 0, 7, 5, 0x83, 2, 64, 0, 0,
	9, 4, 2, 1, 1, 0xFF, 0, 0, 5, 7, 5, 0x01, 2, 64, 0, 0,
}

func TestEndpointsOf(t *testing.T) {
	if d := cmp.Diff([]byte{0x04, 0x85, 0x83}, endpointsOf(composite, 2)); d != "" {
		t.Error(d)
	}
	if got := endpointsOf(composite, 1); got != nil {
		t.Errorf("% x", got)
	}
}

func FuzzEndpointsOf(f *testing.F) {
	f.Add(composite, 2)
	f.Add([]byte{0, 4}, 0)
	f.Fuzz(func(t *testing.T, p []byte, number int) {
		if n := len(endpointsOf(p, number)); n > len(p)/3 {
			t.Fatalf("%d endpoints in %d bytes", n, len(p))
		}
	})
}
