package armv7m

import (
	"strings"
	"testing"
)

// TestSysTickCounts: B3.3.1: from RELOAD down to 0 and again, COUNTFLAG at 0,
// cleared by reading it; a write to SYST_CVR clears both.
func TestSysTickCounts(t *testing.T) {
	c := machine(t, Config{}, self)
	poke(t, c, scsBase+regSYSTRVR, 9)
	poke(t, c, scsBase+regSYSTCSR, csrENABLE)
	start := c.Cycles()
	c.Halt() // so that time passes cycle by cycle, without instructions
	values := []uint32{}
	for range 23 {
		values = append(values, peek(t, c, scsBase+regSYSTCVR))
		c.haltedCycles-- // a cycle that is not in Debug state
		c.Run(c.Cycles() + 1)
	}
	for i, want := range []uint32{0, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 9, 8} {
		if values[i] != want {
			t.Fatalf("after %d cycles %d, want %d: %v", i, values[i], want, values)
		}
	}
	if c.Cycles() != start+23 {
		t.Fatal("test is off")
	}
	if v := peek(t, c, scsBase+regSYSTCSR); v&csrCOUNTFLAG == 0 {
		t.Errorf("CSR %x without COUNTFLAG", v)
	}
	if v := peek(t, c, scsBase+regSYSTCSR); v&csrCOUNTFLAG == 0 {
		t.Error("a debugger's read cleared COUNTFLAG")
	}
	c.readSCSWord(regSYSTCSR, asCore)
	if v := peek(t, c, scsBase+regSYSTCSR); v&csrCOUNTFLAG != 0 {
		t.Error("a read did not clear COUNTFLAG")
	}
	poke(t, c, scsBase+regSYSTCVR, 5)
	if v := peek(t, c, scsBase+regSYSTCVR); v != 0 {
		t.Errorf("CVR %d after a write", v)
	}
	if v := peek(t, c, scsBase+regCALIB); v != calibNOREF {
		t.Errorf("CALIB %x", v)
	}
}

// TestSysTickExceptions: one every RELOAD+1 cycles, exactly; none in Debug
// state, where the counter stands still.
func TestSysTickExceptions(t *testing.T) {
	c, l := traced(t, Config{}, self)
	handler(c, 15, bx)
	poke(t, c, scsBase+regSYSTRVR, 99)
	poke(t, c, scsBase+regSYSTCSR, csrENABLE|csrTICKINT)
	c.Run(100_000)
	entries := 0
	for _, s := range l.lines {
		if strings.Contains(s, "enter") {
			entries++
		}
	}
	if entries != 999 && entries != 1000 {
		t.Errorf("%d entries in 100000 cycles, want one in 100", entries)
	}
	c.Halt()
	before := peek(t, c, scsBase+regSYSTCVR)
	l.lines = nil
	c.Run(200_000)
	if after := peek(t, c, scsBase+regSYSTCVR); after != before || len(l.lines) != 0 {
		t.Errorf("halted: %d to %d, trace %v", before, after, l.lines)
	}
	c.Resume()
	c.Run(200_000 + uint64(before) + 20)
	if len(l.lines) == 0 || !strings.Contains(l.lines[0], "enter") {
		t.Errorf("no exception %d cycles after resuming: %v", before, l.lines)
	}
}
