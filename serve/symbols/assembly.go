package symbols

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mprof/mprof/disasm"
	"github.com/mprof/mprof/disasm/listing"
	"github.com/mprof/mprof/symbol"
)

// assemblyRequest asks for machine code by an offset in a module.
type assemblyRequest struct {
	DebugName    string `json:"debugName"`
	DebugID      string `json:"debugId"`
	Name         string `json:"name"`
	CodeID       string `json:"codeId"`
	StartAddress *hex   `json:"startAddress"`
	Size         *hex   `json:"size"`
	// ContinueUntilFunctionEnd: Size is a lower bound, for functions whose size the front-end does not know.
	ContinueUntilFunctionEnd bool `json:"continueUntilFunctionEnd"`
}

type assemblyResponse struct {
	StartAddress hex           `json:"startAddress"`
	Size         hex           `json:"size"`
	Arch         string        `json:"arch"`
	Syntax       []string      `json:"syntax"`
	Instructions []instruction `json:"instructions"`
}

// instruction is [offset from the start, text].
type instruction struct {
	offset uint32
	text   string
}

func (i instruction) MarshalJSON() ([]byte, error) { return json.Marshal([]any{i.offset, i.text}) }

// assembly answers /asm/v1. Data between instructions is listed as objdump does it.
func (s *server) assembly(body []byte) (any, error) {
	var request assemblyRequest
	if err := decode(body, &request); err != nil {
		return nil, err
	}
	if request.StartAddress == nil || request.Size == nil {
		return nil, malformed{errors.New("the request has no startAddress, or no size")}
	}
	m, err := s.module(request.DebugName, request.DebugID, request.CodeID)
	if err != nil {
		return nil, err
	}
	r, err := m.code(uint64(*request.StartAddress), uint64(*request.Size), request.ContinueUntilFunctionEnd)
	if err != nil {
		return nil, err
	}
	all, err := m.lister.List(r)
	if err != nil {
		return nil, err
	}
	out := assemblyResponse{StartAddress: hex(r.Low - m.mapping.LoadBase), Size: hex(r.High - r.Low), Arch: "arm", Syntax: []string{"ARM"}, Instructions: []instruction{}}
	if m.lister.Arch() == disasm.RV32 {
		out.Arch, out.Syntax = "riscv32", []string{"RISC-V"}
	}
	for _, i := range all {
		out.Instructions = append(out.Instructions, instruction{i.Addr - r.Low, disasm.Text(i)})
	}
	return out, nil
}

// code is the range that a request means: code of the image, and no more than a listing may have.
func (m *module) code(offset, size uint64, whole bool) (r symbol.Range, err error) {
	start, ok := m.address(offset)
	start &^= 1
	around := slices.IndexFunc(m.image.CodeRanges(), func(code symbol.Range) bool { return code.Contains(start) })
	if !ok || around < 0 {
		return r, fmt.Errorf("0x%x of %s is no code", offset, m.mapping.Name)
	}
	end := uint64(start) + size
	if function, ok := m.image.Bounds(start); whole && ok {
		end = max(end, uint64(function.High))
	}
	if end > uint64(start)+listing.MaxSize {
		return r, fmt.Errorf("%d bytes at 0x%x: at most %d are disassembled at once", end-uint64(start), offset, listing.MaxSize)
	}
	return symbol.Range{Low: start, High: uint32(min(end, uint64(m.image.CodeRanges()[around].High)))}, nil
}
