package fit

import (
	"encoding/binary"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mprof/mprof/symbol"
)

// disassembled are the targets of direct branches, by address, as objdump has
// them; and the sizes of all instructions.
func disassembled(t *testing.T, objdump, elf string) (targets map[uint32]uint32, sizes map[uint32]uint32) {
	t.Helper()
	requireTools(t, objdump)
	out, err := exec.Command(objdump, "-d", "--no-show-raw-insn", "-M", "no-aliases", elf).Output()
	if err != nil {
		out, err = exec.Command(objdump, "-d", "--no-show-raw-insn", elf).Output()
	}
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^ *([0-9a-f]+):\s+(\S+)[ \t]*(.*)$`)
	target := regexp.MustCompile(`(?:^|[ ,\t])([0-9a-f]+) <[^>]+>$`)
	targets, sizes = map[uint32]uint32{}, map[uint32]uint32{}
	last, code := uint32(0), false
	for _, text := range strings.Split(string(out), "\n") {
		m := line.FindStringSubmatch(text)
		if m == nil {
			code = false // zeroes left out
			continue
		}
		addr := hex(t, m[1])
		if code && addr-last <= 4 {
			sizes[last] = addr - last
		}
		last, code = addr, !strings.HasPrefix(m[2], ".")
		branch := regexp.MustCompile(`^(c\.)?(b|j)`).MatchString(m[2]) || strings.HasPrefix(m[2], "cb")
		if to := target.FindStringSubmatch(m[3]); to != nil && branch && !strings.HasPrefix(m[2], "bic") && !strings.HasPrefix(m[2], "bf") && m[2] != "jalr" {
			targets[addr] = hex(t, to[1])
		}
	}
	return targets, sizes
}

func hex(t *testing.T, s string) uint32 {
	t.Helper()
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(v)
}

// TestBranches compares every branch of the demo and of a RISC-V program with
// objdump's.
func TestBranches(t *testing.T) {
	for name, test := range map[string]struct {
		objdump, elf string
		least        int
	}{
		"Thumb":    {"arm-none-eabi-objdump", demoFolder + "/demo.elf", 1200},
		"RV32IM":   {"riscv64-unknown-elf-objdump", buildRISCV(t, "rv32im", ""), 10},
		"RV32IMC":  {"riscv64-unknown-elf-objdump", buildRISCV(t, "rv32imc", ""), 10},
		"firmware": {"arm-none-eabi-objdump", "../../firmware/shares/shares.elf", 20},
	} {
		t.Run(name, func(t *testing.T) {
			targets, sizes := disassembled(t, test.objdump, test.elf)
			im, err := symbol.OpenAny(test.elf)
			if err != nil {
				t.Fatal(err)
			}
			a := &analysis{image: im}
			got := map[uint32]uint32{}
			for _, f := range disjoint(im.FunctionSymbols()) {
				a.decode(f.Range, func(addr uint32, in instruction) {
					if want, ok := sizes[addr]; ok && in.size != want && in.size != 8 {
						t.Errorf("0x%08x: %d bytes, objdump has %d", addr, in.size, want)
					}
					if in.leaves && in.branch.direct && in.size != 8 {
						got[addr] = in.branch.to
					}
				})
			}
			for addr, to := range targets {
				if got[addr] != to {
					t.Errorf("0x%08x: to 0x%08x, objdump has 0x%08x", addr, got[addr], to)
				}
			}
			if len(targets) < test.least || len(got) < len(targets) {
				t.Errorf("%d branches, objdump has %d", len(got), len(targets))
			}
			for addr := range got {
				if _, ok := targets[addr]; !ok {
					t.Errorf("0x%08x is a branch, and none for objdump", addr)
				}
			}
		})
	}
}

// TestFarCalls are AUIPC and JALR of one call (RISC-V Assembly Programmer's
// Manual: call and tail), and two that do not belong together.
func TestFarCalls(t *testing.T) {
	code := func(words ...uint32) (b []byte) {
		for _, w := range words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	in := decodeRISCV(0x1000, code(0x00001097, 0xffc080e7)) // auipc ra,1; jalr ra,-4(ra)
	if in.size != 8 || !in.branch.direct || !in.branch.call || in.branch.to != 0x1ffc {
		t.Errorf("call: %+v", in)
	}
	in = decodeRISCV(0x1000, code(0x00001317, 0x00830067)) // auipc t1,1; jr 8(t1)
	if in.size != 8 || !in.branch.direct || in.branch.call || in.branch.to != 0x2008 {
		t.Errorf("tail: %+v", in)
	}
	in = decodeRISCV(0x1000, code(0x00001317, 0xffc080e7))
	if in.size != 4 || in.leaves {
		t.Errorf("another register: %+v", in)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0x00, 0xf0, 0x00, 0xf8}, uint32(0x08000000))
	f.Add([]byte{0x97, 0x10, 0x00, 0x00, 0xe7, 0x80, 0xc0, 0xff}, uint32(0x80000000))
	f.Add([]byte{0xff, 0xff}, uint32(0xfffffffe))
	f.Fuzz(func(t *testing.T, code []byte, addr uint32) {
		for _, decode := range []decoder{decodeThumb, decodeRISCV} {
			for at := 0; at+2 <= len(code); {
				in := decode(addr+uint32(at), code[at:])
				if in.size == 0 || int(in.size) > len(code)-at || in.cycles < 1 {
					t.Fatalf("at %d of % x: %+v", at, code, in)
				}
				at += int(in.size)
			}
		}
	})
}
