//go:build linux

// Package usbfs shows a program a USB bus with CMSIS-DAP probes on it, on a
// machine without USB. In: a packet transport, such as the simulated board's.
// Out: a device that the real libusb opens, in any program that runs under
// umockdev's preload library.
//
// The preload library redirects the file accesses of the C library to a
// directory, and sends each ioctl on a device node to a socket there. Its
// protocol is internal to it: this package was written for and tested with
// umockdev 0.17.16. Linux only, 64-bit little-endian only.
package usbfs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/mprof/mprof/probe"
)

// preload is umockdev's library.
const preload = "libumockdev-preload.so.0"

// Preload finds umockdev's preload library, or says that it is not installed.
func Preload() (string, error) {
	if strconv.IntSize != 64 {
		return "", errors.New("usbfs: only for 64-bit machines")
	}
	for _, pattern := range []string{"/usr/lib/*/", "/usr/lib64/", "/usr/lib/", "/usr/local/lib/*/", "/usr/local/lib/"} {
		if found, _ := filepath.Glob(pattern + preload); len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("usbfs: %s is not there: install the package umockdev", preload)
}

// Bus is a directory that stands for /sys, /dev and /run of a machine with one
// USB bus.
type Bus struct {
	dir     string
	mu      sync.Mutex
	devices []*Device
}

// busNumber is the number of the only bus; addresses begin at 2, after the
// root hub.
const (
	busNumber    = 1
	firstAddress = 2
)

// NewBus makes a bus without devices. Close removes it.
func NewBus() (*Bus, error) {
	prefer()
	dir, err := os.MkdirTemp("", "usb") // short: socket paths have 107 bytes
	if err != nil {
		return nil, fmt.Errorf("usbfs: %w", err)
	}
	b := &Bus{dir: dir}
	for _, d := range []string{"sys/bus/usb/devices", "sys/class", "sys/dev/char", "sys/devices", "dev/bus/usb/001", "run/udev/data"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, fmt.Errorf("usbfs: %w", err)
		}
	}
	return b, os.Chmod(dir, 0o777) // the preload library makes sockets in it, as whatever user
}

// Environ is what a program's environment needs to see the bus.
func (b *Bus) Environ() ([]string, error) {
	lib, err := Preload()
	if err != nil {
		return nil, err
	}
	return []string{"LD_PRELOAD=" + lib, "UMOCKDEV_DIR=" + b.dir}, nil
}

// Start starts a program that sees the bus, as cmd.Start. The preload library
// sleeps for no time at all after each call on a device, which takes 50 us for
// a process with the usual timer slack (prctl(2), PR_SET_TIMERSLACK). The
// program inherits the least.
func (b *Bus) Start(cmd *exec.Cmd) error {
	environ, err := b.Environ()
	if err != nil {
		return err
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, environ...)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("usbfs: timer slack: %w", err)
	}
	defer unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0)
	return cmd.Start()
}

// Plug puts a device on the bus, whose packets t carries. The device owns t
// from here on. A device that was unplugged is plugged in again as a new one,
// with a new address, at the same port where Config says so.
func (b *Bus) Plug(c Config, t probe.Transport) (*Device, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.Port == 0 {
		c.Port = 1 + len(b.devices)
	}
	d, err := newDevice(b.dir, firstAddress+len(b.devices), c, t)
	if err != nil {
		return nil, fmt.Errorf("usbfs: %w", err)
	}
	b.devices = append(b.devices, d)
	return d, nil
}

// Close unplugs everything and removes the directory.
func (b *Bus) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.devices {
		d.close()
	}
	return os.RemoveAll(b.dir)
}
