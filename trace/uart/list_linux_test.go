package uart

import (
	"os"
	"path/filepath"
	"testing"
)

// TestList reads a copy of what Linux shows of an adapter, a debug probe's port, a port
// of the board, a chip that is not there, and a console.
func TestList(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	port := func(name, device, kind string) {
		t.Helper()
		dir := filepath.Join(root, "class", name)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if kind != "" {
			write(filepath.Join("class", name, "type"), kind)
		}
		if device == "" {
			return
		}
		if err := os.MkdirAll(filepath.Join(root, device), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(root, device), filepath.Join(dir, "device")); err != nil {
			t.Fatal(err)
		}
	}
	write("usb/1-1/idVendor", "0403")
	write("usb/1-1/idProduct", "6001")
	write("usb/1-1/serial", "A50285BI")
	write("usb/1-1/manufacturer", "FTDI")
	write("usb/1-1/product", "FT232R USB UART")
	write("usb/1-2/idVendor", "0483")
	write("usb/1-2/idProduct", "374e")
	write("usb/1-2/product", "STLINK-V3")
	port("ttyUSB10", "usb/1-1/1-1:1.0/ttyUSB10", "")
	port("ttyUSB9", "usb/1-1/1-1:1.1/ttyUSB9", "")
	port("ttyACM0", "usb/1-2/1-2:1.2", "")
	port("ttyS0", "pnp/00:01", "4")
	port("ttyS1", "platform/serial8250", "0")
	port("tty0", "", "")

	got, err := list(filepath.Join(root, "class"), "/nowhere")
	if err != nil {
		t.Fatal(err)
	}
	want := []Info{
		{Name: "/nowhere/ttyACM0", Product: "STLINK-V3", VIDPID: "0483:374e"},
		{Name: "/nowhere/ttyUSB9", Product: "FTDI FT232R USB UART", Serial: "A50285BI", VIDPID: "0403:6001"},
		{Name: "/nowhere/ttyUSB10", Product: "FTDI FT232R USB UART", Serial: "A50285BI", VIDPID: "0403:6001"},
		{Name: "/nowhere/ttyS0"},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	if s := want[0].String() + want[3].String(); s != "/nowhere/ttyACM0 (STLINK-V3)/nowhere/ttyS0" {
		t.Error(s)
	}
	if all, err := list(filepath.Join(root, "missing"), "/dev"); all != nil || err != nil {
		t.Error(all, err)
	}
}
