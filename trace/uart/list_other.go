//go:build !linux

package uart

import (
	"slices"

	"go.bug.st/serial"
)

// List finds the serial ports.
func List() ([]Info, error) {
	names, err := serial.GetPortsList()
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	all := make([]Info, len(names))
	for i, n := range names {
		all[i] = Info{Name: n}
	}
	return all, nil
}
