package symbol

import (
	"slices"
	"strings"
)

// interruptName is what the program's own headers call interrupt n: "TIM2_IRQn".
// CMSIS numbers the interrupts of a device by an enumeration whose names end so
// (CMSIS-Core, "Device Header File"); it is in the debug information where the
// program uses one of them. The entries of units are walked until it is found:
// once, and only for handlers with several names.
func (im *Image) interruptName(n uint16) string {
	im.mu.Lock()
	defer im.mu.Unlock()
	d := im.debugData()
	if d == nil {
		return ""
	}
	if !d.interruptsRead {
		d.interruptsRead = true
		for _, u := range d.units {
			if d.interrupts = d.interruptsIn(u); d.interrupts != nil {
				break
			}
		}
	}
	return d.interrupts[n]
}

const irqSuffix = "_IRQn"

// ofArchitecture tells the exceptions that the enumeration numbers below 0; a
// negative number may stand as one byte, unsigned.
func ofArchitecture(name string) bool {
	bare := bareHandler(name)
	return slices.ContainsFunc(exceptionAliases[:], func(names []string) bool { return slices.Contains(names, bare) })
}

// interruptsIn looks for the enumeration in one unit; nil where it is not there.
func (d *debugInfo) interruptsIn(u *unit) (names map[uint16]string) {
	table, err := d.abbreviationsAt(u.abbrev, u.encoding)
	if err != nil {
		return nil
	}
	r := entries{unit: u, table: table, c: cursor{data: d.sections.info[u.first:u.end]}, end: uint64(u.end), enumerators: true}
	for {
		var e entry
		ok, err := r.next(&e)
		if !ok || err != nil || e.tag != tagEnumerator && len(names) > 1 {
			return names
		}
		if e.tag != tagEnumerator {
			continue
		}
		name := d.text(u, e.name)
		n := e.constValue.integer(maxVectors)
		if strings.HasSuffix(name, irqSuffix) && n < maxVectors-16 && !ofArchitecture(name) {
			if names == nil {
				names = map[uint16]string{}
			}
			names[uint16(n)] = name
		}
	}
}
