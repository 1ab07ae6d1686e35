package backtrace

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/snapshot"
)

func TestFaults(t *testing.T) {
	scb := make([]byte, 0x100)
	put := func(addr, v uint32) { binary.LittleEndian.PutUint32(scb[addr-0xe000ed00:], v) }
	s := &snapshot.Snapshot{Windows: []snapshot.Window{{Addr: 0xe000ed00, Data: scb}}}
	put(addrCFSR, 1<<9|bitBFARVALID|1<<1)
	put(addrHFSR, 1<<30)
	put(addrBFAR, 0xfffffff0)
	put(addrMMFAR, 0x20000000) // not valid
	for exc, want := range map[uint32][]string{
		0:  nil,
		15: nil,
		3: {"data access that memory protection forbids (DACCVIOL)", "bus error at a data access (PRECISERR) at 0xfffffff0",
			"escalated to HardFault: the fault's own handler is off or busy (FORCED)"},
	} {
		s.Regs.Set(snapshot.XPSR, 1<<24|exc)
		if diff := cmp.Diff(want, faults(s)); diff != "" {
			t.Errorf("exception %d:\n%s", exc, diff)
		}
	}
	s.Windows = nil
	s.Regs.Set(snapshot.XPSR, 1<<24|3)
	if got := faults(s); got != nil {
		t.Error(got)
	}
}
