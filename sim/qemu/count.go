package qemu

import (
	"bytes"
	"debug/elf"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Count says of which functions every call is noted. Names are those of the
// ELF file's symbols.
type Count struct {
	Functions []string
	Hooks     []string // what executes in them is counted apart
	// Handlers are exception handlers whose time is not that of what they
	// interrupt: those that are instrumented. The time of others is.
	Handlers []string
	// Resume is the label of the instruction that loads a task's registers from its
	// stack, Stacks the stack of each task by number; others belong to task 0.
	Resume string
	Stacks map[uint32]string
}

// Call is one call of a function. Numbers are instructions, which take
// NsPerInstruction each.
type Call struct {
	Function    string
	Context     uint32 // number of the task, or 256 + number of the exception
	Entry, Exit uint64 // since power-on, everything that was executed
	Hooks       uint64 // of Exit - Entry, in hooks, whoever called them
	Own         uint64 // between entry and exit in this context, hooks too
	OwnHooks    uint64 // of Own
}

// Net is what the call executed itself and through what it called, without hooks.
func (c Call) Net() uint64 { return c.Own - c.OwnHooks }

// Wall is everything between entry and exit but hooks.
func (c Call) Wall() uint64 { return c.Exit - c.Entry - c.Hooks }

// Counted is what the plugin noted.
type Counted struct {
	Calls        []Call // in the order of return
	Instructions uint64 // since power-on
	InHooks      uint64 // of them
}

//go:embed plugin/calls.c
var callsC []byte

//go:embed plugin/api.h
var apiH []byte

// prepareCount compiles the plugin, writes its input, and returns the value
// of -plugin.
func (m *Machine) prepareCount(o Options) (string, error) {
	for name, text := range map[string][]byte{"calls.c": callsC, "api.h": apiH} {
		if err := os.WriteFile(filepath.Join(m.dir, name), text, 0o600); err != nil {
			return "", err
		}
	}
	plugin := filepath.Join(m.dir, "calls.so")
	if text, err := exec.Command("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
		filepath.Join(m.dir, "calls.c"), "-o", plugin).CombinedOutput(); err != nil {
		return "", fmt.Errorf("qemu: cc calls.c: %w\n%s", err, text)
	}
	p, err := openProgram(o.ELF)
	if err != nil {
		return "", err
	}
	marks, err := p.marks(o.Count)
	if err != nil {
		return "", err
	}
	in := filepath.Join(m.dir, "marks")
	if err := os.WriteFile(in, marks, 0o600); err != nil {
		return "", err
	}
	m.calls, m.program = filepath.Join(m.dir, "calls"), p
	return fmt.Sprintf("%s,in=%s,out=%s", plugin, in, m.calls), nil
}

const callBytes = 48 // of struct call

// AwaitCalls waits until that many calls have returned or more, since power-on: a busy machine takes as long
// as it takes. They are noted in blocks of some.
func (m *Machine) AwaitCalls(n int) error {
	for end := time.Now().Add(awaitTime); ; {
		info, err := os.Stat(m.calls)
		if err == nil && info.Size() >= int64(n)*callBytes {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("qemu: no %d calls in %v", n, awaitTime)
		}
		select {
		case <-m.ended:
			return m.Failed(fmt.Errorf("qemu: no %d calls", n))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

const awaitTime = 3 * time.Minute

// Counted ends the emulator and returns what the plugin noted.
func (m *Machine) Counted() (Counted, error) {
	m.Stop()
	if m.calls == "" {
		return Counted{}, errors.New("qemu: it ran without Options.Count")
	}
	data, err := os.ReadFile(m.calls)
	if err != nil {
		return Counted{}, fmt.Errorf("qemu: %w (%s)", err, m.said.String())
	}
	if len(data) == 0 || len(data)%callBytes != 0 {
		return Counted{}, fmt.Errorf("qemu: %s: %d bytes (%s)", m.calls, len(data), m.said.String())
	}
	var all Counted
	for ; len(data) > 0; data = data[callBytes:] {
		word := func(at int) uint64 { return binary.LittleEndian.Uint64(data[at:]) }
		c := Call{Context: binary.LittleEndian.Uint32(data[4:]), Entry: word(8), Exit: word(16), Hooks: word(24), Own: word(32), OwnHooks: word(40)}
		function := binary.LittleEndian.Uint32(data)
		if len(data) == callBytes && function == 0 {
			all.Instructions, all.InHooks = c.Exit, c.Hooks
			return all, nil
		}
		c.Function = m.program.named[function]
		all.Calls = append(all.Calls, c)
	}
	return all, fmt.Errorf("qemu: %s has no end (%s)", m.calls, m.said.String())
}

// program is what the plugin needs of an ELF file.
type program struct {
	file    *elf.File
	symbols map[string]elf.Symbol
	named   map[uint32]string // functions that are noted
}

func openProgram(path string) (*program, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("qemu: %w", err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("qemu: %s: %w", path, err)
	}
	all, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("qemu: %s: %w", path, err)
	}
	p := &program{f, map[string]elf.Symbol{}, map[uint32]string{}}
	for _, s := range all {
		if s.Section != elf.SHN_UNDEF {
			p.symbols[s.Name] = s
		}
	}
	return p, nil
}
