package stm32

import "testing"

// stream returns the address of a stream's registers.
func streamAt(base, n uint32) uint32 { return base + 0x10 + 0x18*n }

// transmit sets DMA2 stream 7 to send n bytes at an address by USART1.
func (r *rig) transmit(addr, n, extra uint32) {
	s := streamAt(dma2Base, 7)
	r.write(s+sxPAR, usart1Base+4)
	r.write(s+sxM0AR, addr)
	r.write(s+sxNDTR, n)
	r.write(s, 4<<25|crMINC|toPeripheral<<6|crTCIE|crTEIE|crEN|extra)
}

func (r *rig) usart1(cr1, cr3 uint32) {
	r.enable()
	r.write(usart1Base+0x08, 100)
	r.write(usart1Base+0x14, cr3)
	r.write(usart1Base+0x0c, cr1UE|cr1)
	r.run(1100) // the idle frame
}

func (r *rig) fill(addr uint32, text string) {
	for i := range text {
		r.core.WriteBus(addr+uint32(i), 1, uint32(text[i]))
	}
}

func (r *rig) memory(n int) string { return string(r.core.Memory(ram)[:n]) }

const dma2Stream7 = 70

// Memory to USART: one byte each time that DR is empty, then TCIF, EN off, and
// the interrupt.
func TestDMATransmit(t *testing.T) {
	r := newRig(t)
	r.usart1(cr1TE, cr3DMAT)
	r.fill(ram, "hello")
	s := streamAt(dma2Base, 7)
	r.transmit(ram, 5, crHTIE)
	r.run(20)
	r.want("two are in the USART", s+sxNDTR, 3)
	r.run(1010)
	r.want("half", dma2Base+dmaHISR, flagHT<<22)
	if !r.pending(dma2Stream7) {
		t.Error("no interrupt at the half")
	}
	r.write(dma2Base+dmaHIFCR, flagHT<<22)
	r.pending(dma2Stream7)
	r.run(2000)
	r.want("all are in the USART", s+sxNDTR, 0)
	r.want("complete", dma2Base+dmaHISR, flagTC<<22)
	r.want("off", s, 4<<25|crMINC|toPeripheral<<6|crTCIE|crTEIE|crHTIE)
	if !r.pending(dma2Stream7) {
		t.Error("no interrupt at the end")
	}
	r.run(3000)
	if r.sent("USART1") != "hello" {
		t.Errorf("%q", r.sent("USART1"))
	}
	// With the flag set it does not start again; cleared, it does, and a count
	// that is not written begins as before.
	r.write(s, 4<<25|crMINC|toPeripheral<<6|crEN)
	r.want("flag set", s, 4<<25|crMINC|toPeripheral<<6)
	r.write(dma2Base+dmaHIFCR, flags<<22)
	r.write(s, 4<<25|crMINC|toPeripheral<<6|crEN)
	r.run(6000)
	if r.sent("USART1") != "hellohello" {
		t.Errorf("%q", r.sent("USART1"))
	}
}

// Only the channel that the table has for the stream serves the USART, and only
// while CR3 asks.
func TestDMARequests(t *testing.T) {
	r := newRig(t)
	r.usart1(cr1TE, 0)
	r.fill(ram, "ab")
	r.transmit(ram, 2, 0)
	r.run(3000)
	r.want("no DMAT", streamAt(dma2Base, 7)+sxNDTR, 2)
	r.write(usart1Base+0x14, cr3DMAT)
	r.run(3000)
	if r.sent("USART1") != "ab" {
		t.Errorf("%q", r.sent("USART1"))
	}
	r.write(dma2Base+dmaHIFCR, flags<<22)
	r.transmit(ram, 2, 1<<25) // channel 5
	r.run(3000)
	r.want("channel 5", streamAt(dma2Base, 7)+sxNDTR, 2)
}

// USART to memory, in a circle: half, end, and around.
func TestDMACircular(t *testing.T) {
	r := newRig(t)
	r.usart1(cr1RE, cr3DMAR)
	s := streamAt(dma2Base, 2)
	r.write(s+sxPAR, usart1Base+4)
	r.write(s+sxM0AR, ram)
	r.write(s+sxNDTR, 4)
	r.write(s, 4<<25|crMINC|crCIRC|crHTIE|crTCIE|crEN)
	r.line(0)("abcdef")
	r.run(2010)
	r.want("half", dma2Base+dmaLISR, flagHT<<16)
	r.run(2000)
	r.want("around", dma2Base+dmaLISR, (flagHT|flagTC)<<16)
	r.want("around", s+sxNDTR, 4)
	r.run(2000)
	if r.want("two more", s+sxNDTR, 2); r.memory(4) != "efcd" {
		t.Errorf("%q", r.memory(4))
	}
	if !r.pending(58) {
		t.Error("no interrupt")
	}
	// Switched off in the middle: TCIF, and the count stays.
	r.write(dma2Base+dmaLIFCR, flags<<16)
	r.write(s, 4<<25|crMINC|crCIRC)
	r.want("switched off", dma2Base+dmaLISR, flagTC<<16)
	r.want("switched off", s+sxNDTR, 2)
}

// Two buffers in turn; the one not in use can be moved.
func TestDMADoubleBuffer(t *testing.T) {
	r := newRig(t)
	r.usart1(cr1RE, cr3DMAR)
	s := streamAt(dma2Base, 2)
	r.write(s+sxPAR, usart1Base+4)
	r.write(s+sxM0AR, ram)
	r.write(s+sxM1AR, ram+0x10)
	r.write(s+sxNDTR, 2)
	r.write(s, 4<<25|crMINC|crCIRC|crDBM|crEN)
	r.line(0)("abcdef")
	r.run(2010)
	r.want("second buffer", s, 4<<25|crMINC|crCIRC|crDBM|crEN|crCT)
	r.write(s+sxM1AR, ram+0x40)
	r.want("in use", s+sxM1AR, ram+0x10)
	r.write(s+sxM0AR, ram+0x20)
	r.run(4000)
	if m := r.memory(0x30); m[:2] != "ab" || m[0x10:0x12] != "cd" || m[0x20:0x22] != "ef" {
		t.Errorf("%q", m)
	}
}

// Memory by words through the FIFO, the USART by bytes; and the reverse.
func TestDMAFIFO(t *testing.T) {
	r := newRig(t)
	r.usart1(cr1TE|cr1RE, cr3DMAT|cr3DMAR)
	r.fill(ram, "four more")
	r.write(streamAt(dma2Base, 7)+sxFCR, fcrDMDIS|3)
	r.transmit(ram, 8, 2<<13)
	r.run(9000)
	if r.sent("USART1") != "four mor" {
		t.Errorf("%q", r.sent("USART1"))
	}
	s := streamAt(dma2Base, 2)
	r.write(s+sxPAR, usart1Base+4)
	r.write(s+sxM0AR, ram+0x100)
	r.write(s+sxNDTR, 7)
	r.write(s+sxFCR, fcrDMDIS)
	r.write(s, 4<<25|crMINC|2<<13|crEN)
	r.line(0)("1234567")
	r.run(4010)
	if v := r.read(ram + 0x100); v != 0x34333231 {
		t.Errorf("0x%08x", v)
	}
	r.want("not yet", ram+0x104, 0)
	r.run(3010)
	r.want("the rest at the end", ram+0x104, 0x00373635)
}

// No memory, core-coupled memory, and flash as a target: TEIF, and the stream is
// off. While a stream is on its registers are closed.
func TestDMAErrors(t *testing.T) {
	r := newRig(t)
	r.usart1(cr1TE|cr1RE, cr3DMAT|cr3DMAR)
	s := streamAt(dma2Base, 7)
	for _, addr := range []uint32{0x60000000, 0x10000000, 0xe000e000} {
		r.write(dma2Base+dmaHIFCR, flags<<22)
		r.pending(dma2Stream7)
		r.transmit(addr, 5, 0)
		r.run(10)
		r.want("error", dma2Base+dmaHISR, flagTE<<22)
		if r.read(s)&crEN != 0 || r.read(s+sxNDTR) != 5 {
			t.Errorf("0x%08x: CR 0x%x, NDTR %d", addr, r.read(s), r.read(s+sxNDTR))
		}
		if !r.pending(dma2Stream7) {
			t.Errorf("0x%08x: no interrupt", addr)
		}
	}
	r.write(dma2Base+dmaHIFCR, flags<<22)
	r.write(usart1Base+0x14, 0)
	r.transmit(ram, 5, 0)
	r.write(s+sxNDTR, 9)
	r.write(s+sxM0AR, ram+8)
	r.write(s, r.read(s)|crCIRC)
	r.want("closed", s+sxNDTR, 5)
	r.want("closed", s+sxM0AR, ram)
	r.want("closed", s, 4<<25|crMINC|toPeripheral<<6|crTCIE|crTEIE|crEN)
}

// DMA2 copies memory; DMA1 does not.
func TestDMACopy(t *testing.T) {
	r := newRig(t)
	r.enable()
	r.fill(ram, "abcdefgh")
	for _, base := range []uint32{dma2Base, dma1Base} {
		s := streamAt(base, 0)
		r.write(s+sxPAR, ram)
		r.write(s+sxM0AR, ram+0x40)
		r.write(s+sxNDTR, 2)
		r.write(s+sxFCR, fcrDMDIS|3)
		r.write(s, memToMem<<6|crPINC|crMINC|2<<11|2<<13|crEN)
		r.run(100)
	}
	if m := r.memory(0x48); m[0x40:] != "abcdefgh" {
		t.Errorf("%q", m[0x40:])
	}
	r.want("DMA2", dma2Base, flagTC|flagHT)
	r.want("DMA1", dma1Base, flagTE)
}
