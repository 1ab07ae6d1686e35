//go:build !linux

package qemu

import "errors"

func (m *Machine) openPipes() (string, error) { return "", errors.New("qemu: no pipes but on Linux") }
