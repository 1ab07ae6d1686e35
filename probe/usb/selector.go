package usb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mprof/mprof/probe"
)

// selector is what the user calls a probe.
type selector struct {
	text            string
	ids             bool // vendor and product were given
	vendor, product uint16
	serial          string // with ids
}

// parseSelector reads "", a serial number, VID:PID, VID:PID:SERIAL (hex ids), or
// part of a name.
func parseSelector(text string) selector {
	s := selector{text: strings.TrimSpace(text)}
	parts := strings.SplitN(s.text, ":", 3)
	if len(parts) < 2 {
		return s
	}
	vendor, err := parseID(parts[0])
	if err != nil {
		return s
	}
	product, err := parseID(parts[1])
	if err != nil {
		return s
	}
	s.ids, s.vendor, s.product = true, vendor, product
	if len(parts) == 3 {
		s.serial = parts[2]
	}
	return s
}

func parseID(text string) (uint16, error) {
	v, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(text), "0x"), 16, 16)
	return uint16(v), err
}

// matches says whether d is called so. exact: by its identity, not by a part of
// its name.
func (s selector) matches(d Device) (exact, part bool) {
	switch {
	case s.text == "":
		return true, true
	case s.ids:
		ok := d.VendorID == s.vendor && d.ProductID == s.product && (s.serial == "" || strings.EqualFold(s.serial, d.Serial))
		return ok, ok
	case strings.EqualFold(s.text, d.Serial):
		return true, true
	}
	names := strings.ToLower(d.Manufacturer + "\n" + d.Product + "\n" + d.Known)
	return false, strings.Contains(names, strings.ToLower(s.text))
}

// choose finds the one probe that s means. An exact match beats names that
// contain the text; among several, those without a problem count.
func (s selector) choose(devices []Device) (Device, error) {
	var exact, part []Device
	for _, d := range devices {
		e, p := s.matches(d)
		if e {
			exact = append(exact, d)
		}
		if p {
			part = append(part, d)
		}
	}
	all := exact
	if len(all) == 0 {
		all = part
	}
	if usable := withoutProblem(all); len(usable) > 0 {
		all = usable
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) > 1:
		return Device{}, fmt.Errorf("usb: %s: choose one by its serial number", s.severally(all))
	case s.text == "":
		return Device{}, fmt.Errorf("usb: %w", probe.ErrNotFound)
	case len(devices) == 0:
		return Device{}, fmt.Errorf("usb: probe %q: %w", s.text, probe.ErrNotFound)
	}
	return Device{}, fmt.Errorf("usb: probe %q: %w; there is %s", s.text, probe.ErrNotFound, join(devices))
}

func withoutProblem(all []Device) (usable []Device) {
	for _, d := range all {
		if d.Problem == nil {
			usable = append(usable, d)
		}
	}
	return usable
}

func (s selector) severally(all []Device) string {
	if s.text == "" {
		return fmt.Sprintf("%d probes are connected (%s)", len(all), join(all))
	}
	return fmt.Sprintf("%q matches %d probes (%s)", s.text, len(all), join(all))
}

func join(all []Device) string {
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.String()
	}
	return strings.Join(names, ", ")
}

// sameAmong finds d again. Devices whose problem hides their serial number
// count as d at d's port only.
func (d Device) sameAmong(devices []Device) (Device, error) {
	var atPort *Device
	for i, o := range devices {
		switch {
		case o.VendorID != d.VendorID || o.ProductID != d.ProductID:
		case d.Serial != "" && o.Serial == d.Serial:
			return o, nil
		case o.Port == d.Port && (d.Serial == "" || o.Serial == ""):
			atPort = &devices[i]
		}
	}
	if atPort == nil {
		return Device{}, fmt.Errorf("usb: %s: %w", d, probe.ErrNotFound)
	}
	return *atPort, nil
}
