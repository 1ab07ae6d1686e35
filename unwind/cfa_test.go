package unwind

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// debugFrame builds a .debug_frame with one CIE (DWARF 4 §6.4.1) and one FDE.
type debugFrame struct {
	version   uint8
	codeAlign uint8
	dataAlign int8 // one SLEB128 byte
	initial   []byte
	low, size uint32
	program   []byte
	wide      bool // 64-bit DWARF
	ra        byte // column of the return address; 0: 14
	at        int  // where in a section bytes will be placed
}

func (d debugFrame) bytes() []byte {
	var body []byte
	body = append(body, d.version, 0)
	if d.version == 4 {
		body = append(body, 4, 0)
	}
	body = append(body, d.codeAlign, byte(d.dataAlign)&0x7f, cmp.Or(d.ra, 14))
	body = append(body, d.initial...)
	out := d.entry(nil, 0xffffffffffffffff, body)
	fde := binary.LittleEndian.AppendUint32(nil, d.low)
	fde = binary.LittleEndian.AppendUint32(fde, d.size)
	return d.entry(out, uint64(d.at), append(fde, d.program...))
}

func (d debugFrame) entry(out []byte, id uint64, body []byte) []byte {
	for (len(body)+12)%4 != 0 {
		body = append(body, cfaNop)
	}
	if d.wide {
		out = binary.LittleEndian.AppendUint32(out, 0xffffffff)
		out = binary.LittleEndian.AppendUint64(out, uint64(len(body)+8))
		out = binary.LittleEndian.AppendUint64(out, id)
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(body)+4))
		out = binary.LittleEndian.AppendUint32(out, uint32(id))
	}
	return append(out, body...)
}

// text runs the only FDE of a section and writes its rows as readelf does.
func (s *section) text(t *testing.T) (string, error) {
	t.Helper()
	var b strings.Builder
	var failed error
	err := s.each(func(f fde) {
		failed = s.rows(&f, func(r row, end uint32) bool {
			cfa := "exp"
			if r.cfa.how == fromRegister {
				cfa = fmt.Sprintf("r%d%+d", r.cfa.reg, r.cfa.n)
			}
			fmt.Fprintf(&b, "%x-%x %s", r.loc-f.low, end-f.low, cfa)
			for _, x := range r.regs {
				if x.how != unspecified {
					fmt.Fprintf(&b, " r%d:%s", x.column, save{how: x.how, n: x.n}.text())
				}
			}
			b.WriteString("\n")
			return true
		})
	})
	if err == nil {
		err = failed
	}
	return strings.TrimSuffix(b.String(), "\n"), err
}

func plainFrame(program ...byte) debugFrame {
	return debugFrame{version: 4, codeAlign: 2, dataAlign: -4, initial: []byte{cfaDefCFA, 13, 0}, low: 0x08000100, size: 0x100, program: program}
}

// The instructions of DWARF 4 §6.4.2, in its order, with code_alignment_factor
// 2 and data_alignment_factor -4.
func TestCallFrameInstructions(t *testing.T) {
	for _, c := range []struct {
		name    string
		program []byte
		want    string
	}{
		// §6.4.2.1 Row creation
		{"set_loc", []byte{cfaSetLoc, 0x10, 0x01, 0x00, 0x08, cfaDefCFAOffset, 8}, "0-10 r13+0\n10-100 r13+8"},
		{"advance_loc", []byte{cfaAdvanceLoc | 3, cfaDefCFAOffset, 8}, "0-6 r13+0\n6-100 r13+8"},
		{"advance_loc1", []byte{cfaAdvanceLoc1, 0x40, cfaDefCFAOffset, 8}, "0-80 r13+0\n80-100 r13+8"},
		{"advance_loc2", []byte{cfaAdvanceLoc2, 0x40, 0, cfaDefCFAOffset, 8}, "0-80 r13+0\n80-100 r13+8"},
		{"advance_loc4", []byte{cfaAdvanceLoc4, 0x40, 0, 0, 0, cfaDefCFAOffset, 8}, "0-80 r13+0\n80-100 r13+8"},
		{"MIPS_advance_loc8", []byte{cfaMIPSAdvanceLoc8, 0x40, 0, 0, 0, 0, 0, 0, 0, cfaDefCFAOffset, 8}, "0-80 r13+0\n80-100 r13+8"},
		// §6.4.2.2 CFA definition
		{"def_cfa", []byte{cfaDefCFA, 7, 0x90, 1}, "0-100 r7+144"},
		{"def_cfa_sf", []byte{cfaDefCFASF, 7, 0x7e}, "0-100 r7+8"},
		{"def_cfa_register", []byte{cfaDefCFAOffset, 8, cfaDefCFARegister, 7}, "0-100 r7+8"},
		{"def_cfa_offset", []byte{cfaDefCFAOffset, 16}, "0-100 r13+16"},
		{"def_cfa_offset_sf", []byte{cfaDefCFAOffsetSF, 2}, "0-100 r13-8"},
		{"def_cfa_expression", []byte{cfaDefCFAExpression, 2, opBreg0 + 13, 8}, "0-100 exp"},
		// §6.4.2.3 Register rules
		{"undefined", []byte{cfaUndefined, 14}, "0-100 r13+0 r14:u"},
		{"same_value", []byte{cfaSameValue, 4}, "0-100 r13+0 r4:s"},
		{"offset", []byte{cfaOffset | 14, 1, cfaOffset | 4, 2}, "0-100 r13+0 r4:c-8 r14:c-4"},
		{"offset_extended", []byte{cfaOffsetExtended, 0x88, 2, 6}, "0-100 r13+0 r264:c-24"},
		{"offset_extended_sf", []byte{cfaOffsetExtendedSF, 5, 0x7f}, "0-100 r13+0 r5:c+4"},
		{"val_offset", []byte{cfaValOffset, 5, 3}, "0-100 r13+0 r5:v-12"},
		{"val_offset_sf", []byte{cfaValOffsetSF, 5, 0x7d}, "0-100 r13+0 r5:v+12"},
		{"register", []byte{cfaRegister, 14, 3}, "0-100 r13+0 r14:r3"},
		{"expression", []byte{cfaExpression, 6, 1, opLit0}, "0-100 r13+0 r6:exp"},
		{"val_expression", []byte{cfaValExpression, 6, 1, opLit0}, "0-100 r13+0 r6:vexp"},
		{"restore", []byte{cfaOffset | 4, 1, cfaAdvanceLoc | 1, cfaRestore | 4}, "0-2 r13+0 r4:c-4\n2-100 r13+0"},
		{"restore_extended", []byte{cfaOffset | 4, 1, cfaAdvanceLoc | 1, cfaRestoreExtended, 4}, "0-2 r13+0 r4:c-4\n2-100 r13+0"},
		// §6.4.2.4 Row state: the CFA comes back too
		{"remember_state", []byte{cfaDefCFAOffset, 8, cfaOffset | 14, 1, cfaRememberState, cfaAdvanceLoc | 1, cfaDefCFAOffset, 0, cfaRestore | 14,
			cfaAdvanceLoc | 1, cfaRestoreState}, "0-2 r13+8 r14:c-4\n2-4 r13+0\n4-100 r13+8 r14:c-4"},
		{"states nest", []byte{cfaRememberState, cfaDefCFAOffset, 8, cfaRememberState, cfaDefCFAOffset, 16, cfaAdvanceLoc | 1, cfaRestoreState,
			cfaAdvanceLoc | 1, cfaRestoreState}, "0-2 r13+16\n2-4 r13+8\n4-100 r13+0"},
		// §6.4.2.5 Padding, and GNU's
		{"nop", []byte{cfaNop, cfaNop}, "0-100 r13+0"},
		{"GNU_args_size", []byte{cfaGNUArgsSize, 0x90, 1, cfaDefCFAOffset, 8}, "0-100 r13+8"},
		{"GNU_negative_offset_extended", []byte{cfaGNUNegativeOffsetExtend, 5, 2}, "0-100 r13+0 r5:c+8"},
		{"negate_ra_state", []byte{cfaNegateRAState, cfaDefCFAOffset, 8}, "0-100 r13+8"},
	} {
		for _, wide := range []bool{false, true} {
			f := plainFrame(c.program...)
			f.wide = wide
			s := section{name: ".debug_frame", data: f.bytes()}
			got, err := s.text(t)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if d := gocmp.Diff(c.want, got); d != "" {
				t.Errorf("%s: want (-), got (+):\n%s", c.name, d)
			}
		}
	}
}

// Restoring brings back what the CIE's instructions said, not nothing.
func TestRestoreToInitialRule(t *testing.T) {
	f := plainFrame(cfaSameValue, 4, cfaAdvanceLoc|1, cfaRestore|4)
	f.initial = []byte{cfaDefCFA, 13, 0, cfaOffset | 4, 2}
	s := section{name: ".debug_frame", data: f.bytes()}
	got, err := s.text(t)
	if want := "0-2 r13+0 r4:s\n2-100 r13+0 r4:c-8"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// The CIE of versions 1, 3 and 4 differ in the return address column and in
// what stands before the alignment factors (DWARF 2, 3 and 4 §6.4.1).
func TestCIEVersions(t *testing.T) {
	for _, version := range []uint8{1, 3, 4} {
		f := plainFrame(cfaDefCFAOffset, 8)
		f.version = version
		s := section{name: ".debug_frame", data: f.bytes()}
		got, err := s.text(t)
		if err != nil || got != "0-100 r13+8" {
			t.Errorf("version %d: %q, %v", version, got, err)
		}
	}
}

// Garbage ends in a DecodeError with the section and the offset of the
// instruction's operand, and rows before it stand.
func TestDamagedFrames(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*debugFrame)
		cause   error
		rows    string
		wantsAt uint32
	}{
		{"no state", func(f *debugFrame) { f.program = []byte{cfaAdvanceLoc | 1, cfaRestoreState} }, errNoState, "0-2 r13+0", 0x26},
		{"instruction 0x3f", func(f *debugFrame) { f.program = []byte{cfaAdvanceLoc | 1, 0x3f, 0, 0} }, nil, "0-2 r13+0", 0x25},
		{"backwards", func(f *debugFrame) { f.program = []byte{cfaSetLoc, 0, 0, 0, 0} }, errBackwards, "", 0x29},
		{"restore in a CIE", func(f *debugFrame) { f.initial = []byte{cfaRestore | 4} }, errRestore, "", 0x10},
		{"advance in a CIE", func(f *debugFrame) { f.initial = []byte{cfaAdvanceLoc | 1} }, errAdvance, "", 0x10},
		{"no CFA", func(f *debugFrame) { f.initial = []byte{cfaDefCFAOffset, 4} }, errNoCFA, "", 0x10},
		{"truncated operand", func(f *debugFrame) { f.program = []byte{cfaNop, cfaNop, cfaNop, cfaAdvanceLoc4} }, errTruncated, "", 0x28},
		{"long LEB128", func(f *debugFrame) {
			f.program = []byte{cfaDefCFAOffset, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}
		}, errLEB, "", 0x2f},
		{"wide offset", func(f *debugFrame) { f.program = []byte{cfaOffset | 4, 0xff, 0xff, 0xff, 0xff, 0x0f} }, errOffset, "", 0x2a},
		{"version 2", func(f *debugFrame) { f.version = 2 }, nil, "", 9},
	} {
		f := plainFrame()
		c.change(&f)
		s := section{name: ".debug_frame", data: f.bytes()}
		got, err := s.text(t)
		var decode *DecodeError
		if !errors.As(err, &decode) || decode.Section != ".debug_frame" || c.cause != nil && !errors.Is(err, c.cause) {
			t.Errorf("%s: error %v", c.name, err)
			continue
		}
		if decode.Offset != c.wantsAt || got != c.rows {
			t.Errorf("%s: offset 0x%x, want 0x%x; rows %q, want %q", c.name, decode.Offset, c.wantsAt, got, c.rows)
		}
	}
}
