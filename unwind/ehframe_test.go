package unwind

import (
	"encoding/binary"
	"testing"
)

// ehFrame builds an .eh_frame at 0x08000800 with augmentation zRS..., one CIE
// and one FDE for [low, low+0x20) (LSB Core 5.0 §10.6.1).
func ehFrame(augmentation string, data []byte, encoding uint8, low uint32) []byte {
	cie := append([]byte{1}, augmentation...)
	cie = append(cie, 0, 2, 0x7c, 14, byte(len(data)))
	cie = append(cie, data...)
	cie = append(cie, cfaDefCFA, 13, 0)
	for len(cie)%4 != 0 {
		cie = append(cie, cfaNop)
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(cie)+4))
	out = binary.LittleEndian.AppendUint32(out, 0)
	out = append(out, cie...)
	at := uint32(len(out))
	var fde []byte
	if encoding&peRelative == pePcrel {
		low -= 0x08000800 + at + 8
	}
	switch encoding & peFormat {
	case peSdata2:
		fde = binary.LittleEndian.AppendUint16(fde, uint16(low))
		fde = binary.LittleEndian.AppendUint16(fde, 0x20)
	default:
		fde = binary.LittleEndian.AppendUint32(fde, low)
		fde = binary.LittleEndian.AppendUint32(fde, 0x20)
	}
	fde = append(fde, 0, cfaAdvanceLoc|1, cfaDefCFAOffset, 8)
	for len(fde)%4 != 0 {
		fde = append(fde, cfaNop)
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(fde)+4))
	out = binary.LittleEndian.AppendUint32(out, at+4)
	out = append(out, fde...)
	out = append(out, 0, 0, 0, 0) // the end; what follows is not read
	return append(out, 0xde, 0xad, 0xbe, 0xef)
}

func TestEHFrameAugmentations(t *testing.T) {
	const low = 0x08000100
	for _, c := range []struct {
		augmentation string
		data         []byte
		encoding     uint8
		signal       bool
	}{
		{"zR", []byte{peAbsptr}, peAbsptr, false},
		{"zR", []byte{pePcrel | peSdata4}, pePcrel | peSdata4, false},
		{"zR", []byte{pePcrel | peSdata2}, pePcrel | peSdata2, false},
		{"zRS", []byte{pePcrel | peSdata4}, pePcrel | peSdata4, true},
		{"zPLR", []byte{peUdata4, 1, 2, 3, 4, peUdata4, peUdata4}, peUdata4, false},
		{"zR?", []byte{pePcrel | peSdata4, 1, 2, 3}, pePcrel | peSdata4, false},
	} {
		s := section{name: ".eh_frame", data: ehFrame(c.augmentation, c.data, c.encoding, low), addr: 0x08000800, eh: true}
		got, err := s.text(t)
		if err != nil || got != "0-2 r13+0\n2-20 r13+8" {
			t.Errorf("%s encoding 0x%02x: %q, %v", c.augmentation, c.encoding, got, err)
		}
		_ = s.each(func(f fde) {
			if f.low != low || f.high != low+0x20 || f.cie.signal != c.signal {
				t.Errorf("%s encoding 0x%02x: [0x%08x, 0x%08x) signal %v", c.augmentation, c.encoding, f.low, f.high, f.cie.signal)
			}
		})
	}
}

func TestEHFrameRefusals(t *testing.T) {
	for _, c := range []struct {
		name, augmentation string
		data               []byte
	}{
		{"indirect", "zR", []byte{peIndirect | peUdata4}},
		{"data-relative", "zR", []byte{0x30 | peUdata4}},
		{"format", "zR", []byte{0x05}},
	} {
		s := section{name: ".eh_frame", data: ehFrame(c.augmentation, c.data, peUdata4, 0x08000100), addr: 0x08000800, eh: true}
		if got, err := s.text(t); err == nil {
			t.Errorf("%s: no error, rows %q", c.name, got)
		}
	}
}
