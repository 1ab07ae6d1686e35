package uart

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// classTTY is where Linux lists its terminals.
const classTTY = "/sys/class/tty"

// List finds the serial ports, those on USB first. None is opened, which would
// move DTR.
func List() ([]Info, error) { return list(classTTY, "/dev") }

func list(class, dev string) ([]Info, error) {
	entries, err := os.ReadDir(class)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Info
	for _, e := range entries {
		dir := filepath.Join(class, e.Name())
		device, err := filepath.EvalSymlinks(filepath.Join(dir, "device"))
		if err != nil { // consoles and pseudo-terminals have none
			continue
		}
		// A socket for a chip that is not there: PORT_UNKNOWN of the 8250 driver.
		if line(dir, "type") == "0" {
			continue
		}
		p := Info{Name: filepath.Join(dev, e.Name())}
		p.describe(device)
		if err := unix.Access(p.Name, unix.R_OK|unix.W_OK); err == unix.EACCES {
			p.Problem = permission(p.Name)
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Info) int {
		if (a.VIDPID != "") != (b.VIDPID != "") {
			return cmp.Compare(b.VIDPID, a.VIDPID) // "" last
		}
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// describe reads what a USB device says of itself, from the folder of the port or
// one around it.
func (p *Info) describe(device string) {
	for dir := device; len(dir) > len("/sys"); dir = filepath.Dir(dir) {
		vid := line(dir, "idVendor")
		if vid == "" {
			continue
		}
		p.VIDPID = vid + ":" + line(dir, "idProduct")
		p.Serial = line(dir, "serial")
		p.Product = strings.TrimSpace(line(dir, "manufacturer") + " " + line(dir, "product"))
		return
	}
}

func line(dir, name string) string {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
