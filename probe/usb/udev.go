package usb

import (
	"fmt"
	"strings"
)

// access gives the device to whoever sits at the machine (systemd-logind reads
// the tag; its own rule is number 73, so the file name must sort before it).
const access = `MODE="0660", TAG+="uaccess"`

// UdevRule is the udev rule that lets users open d.
func UdevRule(d Device) string { return udevRule(d.VendorID, d.ProductID) }

func udevRule(vendor, product uint16) string {
	return fmt.Sprintf(`SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="%04x", ATTR{idProduct}=="%04x", %s`, vendor, product, access)
}

// UdevRules is a rules file for all probes: those that call themselves
// CMSIS-DAP, and those of the table that do so only in an interface.
func UdevRules() string {
	var b strings.Builder
	b.WriteString("# CMSIS-DAP debug probes, for mprof: /etc/udev/rules.d/70-mprof.rules\n")
	fmt.Fprintf(&b, "SUBSYSTEM==\"usb\", ENV{DEVTYPE}==\"usb_device\", ATTR{product}==\"*%s*\", %s\n", marker, access)
	for _, k := range known {
		fmt.Fprintf(&b, "# %s\n%s\n", k.name, udevRule(k.vendor, k.product))
	}
	return b.String()
}
