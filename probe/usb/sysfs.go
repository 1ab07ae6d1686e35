package usb

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sysfs is where Linux shows the strings of USB devices to everybody, also of
// those that may not be opened. Elsewhere it is not there.
const sysfs = "/sys/bus/usb/devices"

// texts are the strings of a device.
type texts struct {
	product, manufacturer, serial string
	interfaces                    []string
}

// isProbe says whether one of them marks a probe.
func (t texts) isProbe() bool {
	for _, s := range append(t.interfaces, t.product) {
		if strings.Contains(s, marker) {
			return true
		}
	}
	return false
}

// sysfsTexts reads the strings of the device at bus and address from root.
func sysfsTexts(root string, bus, address int) (texts, bool) {
	dirs, _ := filepath.Glob(filepath.Join(root, "*"))
	for _, dir := range dirs {
		if number(dir, "busnum") != bus || number(dir, "devnum") != address {
			continue
		}
		t := texts{product: line(dir, "product"), manufacturer: line(dir, "manufacturer"), serial: line(dir, "serial")}
		files, _ := filepath.Glob(filepath.Join(root, filepath.Base(dir)+":*", "interface"))
		for _, f := range files {
			t.interfaces = append(t.interfaces, line(filepath.Dir(f), "interface"))
		}
		return t, true
	}
	return texts{}, false
}

func line(dir, name string) string {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// number is -1 where there is none.
func number(dir, name string) int {
	n, err := strconv.Atoi(line(dir, name))
	if err != nil {
		return -1
	}
	return n
}
