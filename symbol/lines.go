package symbol

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// The line number program (DWARF 5, 6.2) is decoded here and not by
// debug/dwarf: that package allocates as many directories and files as the
// header claims, cleans "../" out of paths (tools that match sources by path
// want them as written), and leaves directories of DWARF 5 relative.

// lineRow is a row of the line number matrix. It holds up to the next row.
type lineRow struct {
	addr       uint32
	file, line uint32
	column     uint32
}

// lineSequence is a contiguous run of rows; High is that of end_sequence.
type lineSequence struct {
	Range
	rows []lineRow // sorted by addr, one per addr
}

// lineTable is the table of one unit.
type lineTable struct {
	files     fileTable
	sequences []lineSequence
}

// file is the path of a file number, "" where there is none.
func (t *lineTable) file(n int) string {
	if t == nil {
		return ""
	}
	return t.files.path(n)
}

// at finds the row around pc. Where sequences overlap (dropped code at low
// addresses), the one that fits fn best counts.
func (t *lineTable) at(pc uint32, fn Range) (lineRow, bool) {
	if t == nil {
		return lineRow{}, false
	}
	var best *lineSequence
	distance := func(s *lineSequence) int64 {
		low, high := int64(s.Low)-int64(fn.Low), int64(s.High)-int64(fn.High)
		return max(low, -low) + max(high, -high)
	}
	for i := range t.sequences {
		s := &t.sequences[i]
		if s.Contains(pc) && (best == nil || distance(s) < distance(best)) {
			best = s
		}
	}
	if best == nil {
		return lineRow{}, false
	}
	i := sort.Search(len(best.rows), func(i int) bool { return best.rows[i].addr > pc })
	if i == 0 {
		return lineRow{}, false
	}
	return best.rows[i-1], true
}

// lineSections are the sections that a line table needs.
type lineSections struct {
	line, str, lineStr []byte
}

// decodeLines decodes the table at off. compDir is DW_AT_comp_dir, name
// DW_AT_name of the unit. What was decoded before an error is returned with
// it.
func (s lineSections) decodeLines(off uint64, compDir, name string) (*lineTable, error) {
	if off >= uint64(len(s.line)) {
		return nil, fmt.Errorf("line table at .debug_line+0x%x: outside of the section (%d bytes)", off, len(s.line))
	}
	h := lineHeader{files: fileTable{sections: s, compDir: compDir, name: name}}
	if err := h.read(s.line[off:]); err != nil {
		return nil, fmt.Errorf("line table at .debug_line+0x%x: %w", off, err)
	}
	t := &lineTable{files: h.files}
	m := lineMachine{header: &h, table: t}
	if err := m.run(); err != nil {
		return t, fmt.Errorf("line table at .debug_line+0x%x: %w", off, err)
	}
	return t, nil
}

// lineMachine is the state machine of DWARF 5, 6.2.2, without the registers
// that nobody here reads.
type lineMachine struct {
	header  *lineHeader
	table   *lineTable
	row     lineRow
	opIndex uint64
	rows    []lineRow
}

func (m *lineMachine) reset() {
	m.row, m.opIndex = lineRow{file: 1, line: 1}, 0
	m.rows = nil
}

// Standard opcodes (DWARF 5, 6.2.5.2) and extended ones (6.2.5.3).
const (
	lnsCopy             = 1
	lnsAdvancePC        = 2
	lnsAdvanceLine      = 3
	lnsSetFile          = 4
	lnsSetColumn        = 5
	lnsNegateStmt       = 6
	lnsSetBasicBlock    = 7
	lnsConstAddPC       = 8
	lnsFixedAdvancePC   = 9
	lnsSetPrologueEnd   = 10
	lnsSetEpilogueBegin = 11
	lnsSetISA           = 12

	lneEndSequence = 1
	lneSetAddress  = 2
	lneDefineFile  = 3
)

func (m *lineMachine) run() error {
	m.reset()
	h := m.header
	c := &cursor{data: h.program}
	for len(c.data) > 0 && c.err == nil {
		op := c.u8()
		switch {
		case op >= h.opcodeBase:
			adjusted := op - h.opcodeBase
			m.advance(uint64(adjusted / h.lineRange))
			m.row.line += uint32(int32(h.lineBase) + int32(adjusted%h.lineRange))
			m.emit()
		case op == 0:
			m.extended(c)
		default:
			m.standard(c, op)
		}
	}
	return c.err
}

func (m *lineMachine) standard(c *cursor, op uint8) {
	switch op {
	case lnsCopy:
		m.emit()
	case lnsAdvancePC:
		m.advance(c.uleb())
	case lnsAdvanceLine:
		m.row.line += uint32(c.sleb())
	case lnsSetFile:
		m.row.file = uint32(c.uleb())
	case lnsSetColumn:
		m.row.column = uint32(c.uleb())
	case lnsNegateStmt, lnsSetBasicBlock, lnsSetPrologueEnd, lnsSetEpilogueBegin:
	case lnsConstAddPC:
		m.advance(uint64((255 - m.header.opcodeBase) / m.header.lineRange))
	case lnsFixedAdvancePC:
		m.row.addr += uint32(c.u16())
		m.opIndex = 0
	case lnsSetISA:
		c.uleb()
	default: // unknown: as many ULEB operands as the header says
		for range m.header.operands[op] {
			c.uleb()
		}
	}
}

func (m *lineMachine) extended(c *cursor) {
	n := c.uleb()
	body := &cursor{data: c.bytes(n)}
	if n == 0 || c.err != nil {
		return
	}
	switch body.u8() {
	case lneEndSequence:
		m.endSequence()
	case lneSetAddress:
		switch len(body.data) {
		case 4:
			m.row.addr = body.u32()
		case 8:
			m.row.addr = uint32(min(body.u64(), 1<<32-1))
		default:
			c.err = fmt.Errorf("address of %d bytes", len(body.data))
		}
		m.opIndex = 0
	case lneDefineFile: // deprecated in DWARF 5, still in files of old tools
		name, dir := body.cstring(), body.uleb()
		if body.err == nil && m.header.version < 5 {
			m.table.files.add(text{inline: name}, dir)
		}
	}
}

// advance is the operation advance of DWARF 5, 6.2.5.1.
func (m *lineMachine) advance(n uint64) {
	h := m.header
	m.opIndex += n
	m.row.addr += uint32(uint64(h.minInstruction) * (m.opIndex / uint64(h.maxOps)))
	m.opIndex %= uint64(h.maxOps)
}

// emit appends a row; of several at one address the last counts.
func (m *lineMachine) emit() {
	if n := len(m.rows); n > 0 && m.rows[n-1].addr == m.row.addr {
		m.rows[n-1] = m.row
		return
	}
	m.rows = append(m.rows, m.row)
}

func (m *lineMachine) endSequence() {
	rows, high := m.rows, m.row.addr
	m.reset()
	if len(rows) == 0 {
		return
	}
	if !slices.IsSortedFunc(rows, compareRows) {
		slices.SortStableFunc(rows, compareRows)
	}
	if s := (Range{rows[0].addr, high}); s.size() > 0 {
		m.table.sequences = append(m.table.sequences, lineSequence{s, rows})
	}
}

func compareRows(a, b lineRow) int {
	switch {
	case a.addr < b.addr:
		return -1
	case a.addr > b.addr:
		return 1
	}
	return 0
}

// joinPath puts a relative name behind dir, with the separator that dir uses;
// nothing is cleaned.
func joinPath(dir, name string) string {
	if dir == "" || isAbs(name) {
		return name
	}
	sep := "/"
	if strings.Contains(dir, `\`) && !strings.Contains(dir, "/") {
		sep = `\`
	}
	if !isAbs(dir) && strings.HasPrefix(name, dir+sep) {
		return name // both were absolute before -ffile-prefix-map cut the same prefix off
	}
	return strings.TrimSuffix(dir, sep) + sep + name
}

// isAbs knows the absolute paths of every host that can have compiled the
// program.
func isAbs(path string) bool {
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\`) ||
		len(path) >= 3 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
}
