package usb_test

import (
	"context"
	"errors"
	"testing"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/usb"
)

// TestList: whatever is on this machine's bus, the list names it or the error
// says why not; opening what is not there is ErrNotFound.
func TestList(t *testing.T) {
	devices, err := usb.List(context.Background())
	if errors.Is(err, probe.ErrNoUSB) {
		t.Skip(err)
	}
	t.Logf("%v, %v", devices, err)
	if _, _, err := usb.Open(context.Background(), "no such probe"); err == nil || len(devices) == 0 && !errors.Is(err, probe.ErrNotFound) {
		t.Errorf("open: %v", err)
	}
}
