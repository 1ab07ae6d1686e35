package symbol_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/symbol"
)

// flash is a target that holds one piece of memory.
type flash struct {
	addr uint32
	data []byte
}

var errBus = errors.New("bus error")

func (f flash) ReadMemory(_ context.Context, addr uint32, p []byte) error {
	if addr < f.addr || uint64(addr-f.addr)+uint64(len(p)) > uint64(len(f.data)) {
		return errBus
	}
	copy(p, f.data[addr-f.addr:])
	return nil
}

// held is a target that holds what the image stores.
func held(t *testing.T, im *symbol.Image) flash {
	t.Helper()
	var f flash
	for i, s := range im.Stored() {
		if i == 0 {
			f.addr = s.Paddr
		}
		if s.Paddr < f.addr+uint32(len(f.data)) || s.Paddr-f.addr > 1<<20 {
			t.Fatalf("segment at 0x%08x: the test knows one flash", s.Paddr)
		}
		f.data = append(f.data, make([]byte, s.Paddr-f.addr-uint32(len(f.data)))...)
		f.data = append(f.data, s.Data...)
	}
	return f
}

func TestVerify(t *testing.T) {
	im, err := symbol.New(bytes.NewReader(demo.ELF), int64(len(demo.ELF)), "demo.elf")
	if err != nil {
		t.Fatal(err)
	}
	good := held(t, im)
	if err := im.Verify(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	first := im.Stored()[0]
	last := len(first.Data) - 1
	for name, change := range map[string]func(d []byte){
		"vector table": func(d []byte) { d[4] ^= 0x10 },
		"last word":    func(d []byte) { d[last] ^= 0x80 },
		"moved code":   func(d []byte) { copy(d[0x400:last], bytes.Clone(d[0x3FE:])) },
	} {
		bad := flash{good.addr, bytes.Clone(good.data)}
		change(bad.data)
		err := im.Verify(t.Context(), bad)
		var mismatch *symbol.MismatchError
		if !errors.As(err, &mismatch) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got [4]byte
		if bad.ReadMemory(t.Context(), mismatch.Addr, got[:]) != nil || got == [4]byte{byte(mismatch.Want), byte(mismatch.Want >> 8), byte(mismatch.Want >> 16), byte(mismatch.Want >> 24)} || got[0] != byte(mismatch.Got) {
			t.Errorf("%s: %v, the target holds %x", name, err, got)
		}
	}
	err = im.Verify(t.Context(), flash{good.addr, good.data[:last/2]})
	if !errors.Is(err, errBus) || !strings.HasPrefix(err.Error(), "symbol: compare the target with the ELF at 0x") {
		t.Errorf("a target that ends early: %v", err)
	}
}

func TestMismatchSentence(t *testing.T) {
	err := &symbol.MismatchError{Addr: 0x08000104, Want: 0x4770, Got: 0xFFFFFFFF}
	want := "symbol: the target runs another program: 0x08000104 holds 0xffffffff, the ELF says 0x00004770"
	if err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
