package stm32

import (
	"encoding/binary"
	"testing"
)

// Whatever a program writes where, nothing panics and time goes on: a circle of
// DMA that nobody ends, streams that write registers of their own, rates that
// are none.
func FuzzRegisters(f *testing.F) {
	at := func(addr, v uint32, cycles byte) []byte {
		b := binary.LittleEndian.AppendUint32(nil, addr)
		return append(binary.LittleEndian.AppendUint32(b, v), cycles)
	}
	s := streamAt(dma2Base, 7)
	var endless []byte
	for _, b := range [][]byte{
		at(rccBase+0x30, 0x006001ff, 0), at(rccBase+0x44, 1<<4, 0), at(usart1Base+0x08, 100, 0), at(usart1Base+0x14, cr3DMAT, 0),
		at(usart1Base+0x0c, cr1UE|cr1TE, 0), at(s+sxPAR, ram+0x100, 0), at(s+sxM0AR, ram, 0), at(s+sxNDTR, 2, 0),
		at(s, 4<<25|crCIRC|toPeripheral<<6|crEN, 255),
	} {
		endless = append(endless, b...)
	}
	f.Add(endless)
	f.Add(at(s, crEN|memToMem<<6, 9))
	f.Fuzz(func(t *testing.T, p []byte) {
		r := newRig(t)
		r.enable()
		for n := 0; len(p) >= 9 && n < 200; n++ {
			addr, v := binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint32(p[4:])
			if addr>>28 != 4 { // most bytes mean something
				m := r.chip.Mounts[addr>>8%uint32(len(r.chip.Mounts))]
				addr = m.Base + addr&0xff
			}
			r.core.WriteBus(addr&^3, 4, v)
			r.core.ReadBus(addr&^3, 4)
			r.chip.Ports[v%6].Line.Send(p[:v>>8&3], 0)
			r.run(uint64(p[8]) * 16)
			p = p[9:]
		}
	})
}
