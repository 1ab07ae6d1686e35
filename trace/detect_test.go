package trace

import (
	"bytes"
	"slices"
	"testing"
)

// One packet of a variant proves nothing, and its bytes are lost.
func TestOnePacketIsNotEnough(t *testing.T) {
	for _, v := range allVariants()[1:] {
		var h heard
		d := NewDecoder(&h, DecoderOptions{})
		p := v.AppendPacket(nil, TypeACK, CommandStop)
		d.Write(p)
		d.Close()
		if _, locked := d.Variant(); locked || len(h.answers) > 0 || h.lost(LostBytes).Bytes != uint64(len(p)) {
			t.Errorf("%v: %v, %v", v, h.answers, h.losses)
		}
	}
}

// Packets in more variants than a lock stands do not hinder it.
func TestManyVariantsBeforeOne(t *testing.T) {
	var in []byte
	all := allVariants()
	last := all[len(all)-1]
	for _, v := range all[1 : len(all)-1] {
		if v.AA55 == last.AA55 {
			in = v.AppendPacket(in, TypeACK, CommandStatus)
		}
	}
	lost := len(in)
	for range 3 {
		in = last.AppendPacket(in, TypeACK, CommandStop)
	}
	var h heard
	d := NewDecoder(&h, DecoderOptions{})
	d.Write(in)
	d.Close()
	if v, locked := d.Variant(); v != last || !locked || len(h.answers) != 3 || h.lost(LostBytes).Bytes != uint64(lost) {
		t.Errorf("%v, %v: %v, %v", v, locked, h.answers, h.losses)
	}
}

// What is held for a second packet stays while the buffer moves.
func TestHeldWhileTheBufferMoves(t *testing.T) {
	v := Variant{CRC: MODBUS}
	for before := 0; before < 3*chunk; before += chunk / 7 {
		var h heard
		d := NewDecoder(&h, DecoderOptions{})
		for _, piece := range [][]byte{
			v.AppendPacket(make([]byte, before), TypeACK, CommandStop),
			make([]byte, 20_000), make([]byte, 20_000),
			v.AppendPacket(nil, TypeACK, CommandStart),
		} {
			d.Write(piece)
		}
		if len(h.answers) != 2 || h.lost(LostBytes).Bytes != uint64(before+40_000) {
			t.Errorf("behind %d bytes: %v, %v", before, h.answers, h.losses)
		}
	}
}

// A byte of noise that makes a header of the other order, right in front.
func TestHeaderBehindHalfAHeader(t *testing.T) {
	for _, v := range allVariants() {
		h0, h1 := v.header()
		for _, noise := range [][]byte{{h0}, {h1}, {h1, h0, h1}, {h0, h0}} {
			var h heard
			d := NewDecoder(&h, DecoderOptions{})
			d.Write(slices.Concat(noise, bytes.Repeat(v.AppendPacket(nil, TypeACK, CommandStop), 2)))
			if len(h.answers) != 2 {
				t.Errorf("%v behind % X: %d answers", v, noise, len(h.answers))
			}
		}
	}
}

// Firmware whose records are of another size is seen to be one of these: its
// packets are counted, whatever its variant.
func TestOtherRecordsAreSeen(t *testing.T) {
	for _, v := range allVariants() {
		var h heard
		d := NewDecoder(&h, DecoderOptions{})
		for range 5 {
			d.Write(v.AppendPacket(nil, TypeProfileData, make([]byte, 16)...))
		}
		if c := d.Counts(); c.Malformed != 5 || c.LostBytes != 0 || len(h.records) > 0 {
			t.Errorf("%v: %+v", v, c)
		}
	}
}
