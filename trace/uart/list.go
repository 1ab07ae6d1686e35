package uart

import "fmt"

// Info is a serial port of this machine.
type Info struct {
	Name    string // what Open takes
	Product string // "" if it is not known
	Serial  string // of a USB device
	VIDPID  string // of a USB device, 0403:6001
	Problem error  // why this user cannot open it; nil: nothing known
}

// String is the name, and what it is.
func (i Info) String() string {
	if i.Product == "" {
		return i.Name
	}
	return fmt.Sprintf("%s (%s)", i.Name, i.Product)
}
