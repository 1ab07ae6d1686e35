//go:build linux

package usbfs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// usbMajor is the device number of usbfs nodes; the minor counts addresses.
const usbMajor = 189

func minor(address int) int { return (busNumber-1)*128 + address - 1 }

// node is the path of the device node under /dev.
func node(address int) string { return fmt.Sprintf("bus/usb/%03d/%03d", busNumber, address) }

// plant writes what the kernel and udev would show of a device: the files that
// libudev and libusb read.
func plant(dir string, address int, c Config) error {
	name := c.place()
	home := filepath.Join(dir, "sys/devices/usb1", name)
	speed := "12"
	if c.highSpeed() {
		speed = "480"
	}
	number := fmt.Sprintf("%d:%d", usbMajor, minor(address))
	files := map[string]string{
		"uevent": fmt.Sprintf("MAJOR=%d\nMINOR=%d\nDEVNAME=%s\nDEVTYPE=usb_device\nDRIVER=usb\nPRODUCT=%x/%x/100\nTYPE=239/2/1\nBUSNUM=%03d\nDEVNUM=%03d\n",
			usbMajor, minor(address), node(address), c.VendorID, c.ProductID, busNumber, address),
		"busnum": fmt.Sprintln(busNumber), "devnum": fmt.Sprintln(address), "dev": number + "\n", "speed": speed + "\n",
		"bConfigurationValue": "1\n", "bNumConfigurations": "1\n",
		"idVendor": fmt.Sprintf("%04x\n", c.VendorID), "idProduct": fmt.Sprintf("%04x\n", c.ProductID),
		"manufacturer": c.Manufacturer + "\n", "product": c.Product + "\n", "serial": c.Serial + "\n",
		"descriptors": string(append(c.deviceDescriptor(), c.configDescriptor()...)),
	}
	for file, text := range files {
		if err := write(filepath.Join(home, file), text); err != nil {
			return err
		}
	}
	if err := write(filepath.Join(dir, fmt.Sprintf("run/udev/data/c%s", number)), "I:1\n"); err != nil { // initialised
		return err
	}
	return symlinks(dir, map[string]string{
		filepath.Join("sys/devices/usb1", name, "subsystem"): "../../../bus/usb",
		filepath.Join("sys/bus/usb/devices", name):           "../../../devices/usb1/" + name,
		filepath.Join("sys/dev/char", number):                "../../devices/usb1/" + name,
		// The number that stat shows for the node, which is a FIFO here.
		"dev/.node/" + strings.ReplaceAll(node(address), "/", "_"): number,
	})
}

// uproot removes what the kernel removes when a device goes.
func uproot(dir string, address int, name string) {
	number := fmt.Sprintf("%d:%d", usbMajor, minor(address))
	for _, p := range []string{"sys/bus/usb/devices/" + name, "sys/dev/char/" + number, "run/udev/data/c" + number, "sys/devices/usb1/" + name, "dev/" + node(address)} {
		os.RemoveAll(filepath.Join(dir, p))
	}
}

// place is the kernel's name of a device: bus and port of the root hub.
func (c Config) place() string { return fmt.Sprintf("%d-%d", busNumber, c.Port) }

func write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

func symlinks(dir string, links map[string]string) error {
	for file, target := range links {
		file = filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(target, file); err != nil {
			return err
		}
	}
	return nil
}
