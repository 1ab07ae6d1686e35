package backtrace

import (
	"bytes"
	"fmt"

	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// compare warns where the dump is of another program than the image: by the
// build id where both have one, and by the code that the dump holds.
func (d *Dump) compare(image *symbol.Image) {
	if id := fmt.Sprintf("%x", image.BuildID()); d.buildID != "" && id != "" && id != d.buildID {
		d.warn("the dump was made of another build (build id %s) than %s (%s): functions may carry the wrong names", d.buildID, image.Path(), id)
		return
	}
	if len(d.cores) == 0 {
		return
	}
	c := codeComparison{}
	for _, w := range d.cores[0].snap.Windows {
		for _, s := range image.Stored() {
			c.add(w, s.Paddr, s.Data)
		}
	}
	if c.differ > 0 {
		d.warn("the dump holds other code than %s: %d of %d bytes differ, the first at 0x%08x; functions may carry the wrong names", image.Path(), c.differ, c.bytes, c.first)
	}
}

// codeComparison counts the bytes that a dump and an image both have.
type codeComparison struct {
	bytes, differ int
	first         uint32
}

// add compares a window with the segment at addr where they overlap.
func (c *codeComparison) add(w snapshot.Window, addr uint32, data []byte) {
	low := max(uint64(w.Addr), uint64(addr))
	high := min(uint64(w.Addr)+uint64(len(w.Data)), uint64(addr)+uint64(len(data)))
	if low >= high {
		return
	}
	dumped, linked := w.Data[low-uint64(w.Addr):high-uint64(w.Addr)], data[low-uint64(addr):high-uint64(addr)]
	c.bytes += len(dumped)
	if bytes.Equal(dumped, linked) {
		return
	}
	for i := range dumped {
		if dumped[i] == linked[i] {
			continue
		}
		if at := uint32(low) + uint32(i); c.differ == 0 || at < c.first {
			c.first = at
		}
		c.differ++
	}
}

func (d *Dump) warn(format string, args ...any) {
	d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...))
}
