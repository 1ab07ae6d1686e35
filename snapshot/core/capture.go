package core

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mprof/mprof/snapshot"
)

// capture is the JSON form: registers by name and memory in hexadecimal. A
// number of 32 bits is a JSON number or a text of any base, as "0x20001000".
// Members and registers that are not known are passed over.
type capture struct {
	Registers map[string]json.RawMessage `json:"registers"`
	Control   json.RawMessage            `json:"control"`
	FaultMask json.RawMessage            `json:"faultmask"`
	BasePri   json.RawMessage            `json:"basepri"`
	PriMask   json.RawMessage            `json:"primask"`
	CoreType  string                     `json:"core_type"`
	Memory    []struct {
		Start json.RawMessage `json:"start"`
		Bytes string          `json:"bytes"`
	} `json:"memory"`
}

var errNoPC = errors.New(`registers: there is no "pc"`)

// readCapture reads a capture in JSON.
func readCapture(p []byte) (*Dump, error) {
	var in capture
	if err := json.Unmarshal(bytes.TrimPrefix(p, []byte("\ufeff")), &in); err != nil {
		return nil, jsonError(err)
	}
	d := &Dump{Kind: Capture, Arch: in.arch(), Threads: make([]Thread, 1)}
	s := &d.Threads[0].Snapshot
	for name, text := range in.Registers {
		r, ok := registerNamed(d.Arch, name)
		if !ok {
			continue
		}
		v, err := number("registers."+name, text)
		if err != nil {
			return nil, err
		}
		if (r == snapshot.CONTROLS || r == snapshot.CONTROLNS) && v <= 0xff {
			v <<= 24 // debuggers show CONTROL alone, DCRSR has it in the top byte
		}
		s.Regs.Set(r, v)
	}
	if _, ok := s.Regs.Value(snapshot.PC); !ok {
		return nil, errNoPC
	}
	if err := in.special(s); err != nil {
		return nil, err
	}
	if err := in.windows(s); err != nil {
		return nil, err
	}
	if len(s.Windows) == 0 {
		d.remark("the capture holds no memory: stacks end where they need it")
	}
	return d, nil
}

// number reads a value of 32 bits; name is its place in the file.
func number(name string, text json.RawMessage) (uint32, error) {
	v, err := strconv.ParseUint(strings.Trim(string(text), `"`), 0, 32)
	if err != nil {
		return 0, fmt.Errorf("%s: %.40s is no number of 32 bits", name, text)
	}
	return uint32(v), nil
}

// special puts the four registers together that DCRSR gives as one.
func (in *capture) special(s *snapshot.Snapshot) error {
	if in.Control == nil {
		return nil
	}
	all := uint32(0)
	for _, part := range []struct {
		name string
		text json.RawMessage
	}{{"control", in.Control}, {"faultmask", in.FaultMask}, {"basepri", in.BasePri}, {"primask", in.PriMask}} {
		all <<= 8
		if part.text == nil {
			continue
		}
		v, err := number(part.name, part.text)
		if err != nil {
			return err
		}
		if v > 0xff {
			return fmt.Errorf("%s: 0x%x does not fit its 8 bits", part.name, v)
		}
		all |= v
	}
	s.Regs.Set(snapshot.CONTROL, all)
	return nil
}

// windows decodes the memory.
func (in *capture) windows(s *snapshot.Snapshot) error {
	for i, m := range in.Memory {
		start, err := number(fmt.Sprintf("memory[%d].start", i), m.Start)
		if err != nil {
			return err
		}
		data, err := hex.DecodeString(m.Bytes)
		if err != nil {
			return fmt.Errorf("memory[%d].bytes (0x%08x): after %d bytes: %w", i, start, len(data), err)
		}
		if uint64(start)+uint64(len(data)) > 1<<32 {
			return fmt.Errorf("memory[%d]: 0x%x bytes at 0x%08x go on behind the end of the address space", i, len(data), start)
		}
		if len(data) > 0 {
			s.Windows = append(s.Windows, snapshot.Window{Addr: start, Data: data})
		}
	}
	return nil
}

// arch is the architecture by the core's type, or else by the registers.
func (in *capture) arch() snapshot.Arch {
	for name := range in.Registers {
		switch strings.ToLower(name) {
		case "x2", "ra", "mepc":
			return snapshot.RV32
		}
	}
	if strings.HasPrefix(strings.ToLower(in.CoreType), "riscv") {
		return snapshot.RV32
	}
	return snapshot.CortexM
}

// jsonError tells where the text is wrong.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("JSON at byte %d: %w", syntax.Offset, err)
	case errors.As(err, &kind):
		return fmt.Errorf("JSON at byte %d: %s is a %s", kind.Offset, kind.Field, kind.Value)
	}
	return fmt.Errorf("JSON: %w", err)
}
