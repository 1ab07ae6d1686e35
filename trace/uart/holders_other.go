//go:build !linux

package uart

func shared(string) error    { return nil }
func busy(name string) error { return &Error{name, ErrBusy} }
