package cmsdk

import (
	"encoding/binary"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
)

// timerRig is a rig with a timer in place of the UART.
func timerRig(t *testing.T) *rig {
	timer := NewTimer(8)
	rom := make([]byte, 0x200)
	binary.LittleEndian.PutUint32(rom, 0x20000400)
	binary.LittleEndian.PutUint32(rom[4:], 0x101)
	binary.LittleEndian.PutUint16(rom[0x100:], 0xe7fe)
	core, err := armv7m.New(armv7m.Config{
		Regions: []armv7m.Region{{Base: 0, Data: rom, ROM: true}, {Base: 0x20000000, Data: make([]byte, 0x400)}},
		Mounts:  []armv7m.Mount{{Base: base, Size: 0x1000, Device: timer}},
	})
	if err != nil {
		t.Fatal(err)
	}
	timer.Attach(core)
	return &rig{TB: t, core: core}
}

func TestTimer(t *testing.T) {
	r := timerRig(t)
	r.write(timRELOAD, 999)
	r.write(timVALUE, 1500)
	r.run(99)
	r.want("off", timVALUE, 1500)
	r.write(timCTRL, timEnable|timInt)
	start := r.core.Cycles()
	value := func() uint32 {
		v, _ := r.core.ReadBus(base+timVALUE, 4)
		return v
	}
	for n := uint64(0); n < 5000; n = r.core.Cycles() - start {
		want := uint32(1500 - n)
		if n > 1500 {
			want = uint32(999 - (n-1501)%1000)
		}
		if v := value(); v != want {
			t.Fatalf("%d cycles on: %d, want %d", n, v, want)
		}
		if pending := r.pending(); (pending == 1<<8) != (n >= 1500) {
			t.Fatalf("%d cycles on: pending 0x%x", n, pending)
		}
		r.run(61)
	}
	r.want("interrupt", timINT, 1)
	r.write(timCTRL, timEnable)
	r.write(timINT, 1)
	r.want("cleared", timINT, 0)
	r.pending()
	if r.run(2000); r.pending() != 0 {
		t.Error("an interrupt that is not enabled")
	}
	r.write(timCTRL, timEnable|2)
	v := value()
	if r.run(100); value() != v {
		t.Error("counts without its external enable")
	}
	r.core.Reset()
	r.want("reset", timVALUE, 0)
	r.want("reset", timCTRL, 0)
	r.want("identification", 0xfe0, 0x22)
}

// Free-running over the whole range, as a time base.
func TestTimerWholeRange(t *testing.T) {
	r := timerRig(t)
	r.write(timRELOAD, 0xffffffff)
	r.write(timVALUE, 5)
	r.write(timCTRL, timEnable)
	start := r.core.Cycles()
	r.run(10)
	if v, _ := r.core.ReadBus(base+timVALUE, 4); v != uint32(5-(r.core.Cycles()-start)) {
		t.Errorf("0x%08x", v)
	}
	// A reload of 0 stops it at 0.
	r.write(timRELOAD, 0)
	r.write(timVALUE, 5)
	r.run(10)
	r.want("one shot", timVALUE, 0)
}
