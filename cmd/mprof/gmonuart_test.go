package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/session/counting/countingtest"
)

// TestGmonUART: the UART of the simulated board gives what the command writes, in parts and with a reset.
func TestGmonUART(t *testing.T) {
	elf := countingtest.Plain.ELF(t)
	out := filepath.Join(t.TempDir(), "gmon.out")
	s := mprof(t.Context(), nil, "gmon", "fetch", "--port", "sim:"+countingtest.SimOptions, "--duration", "2", "--reset", "-o", out, elf)
	if s.code != 0 || !strings.Contains(s.stdout, "the core ran on") {
		t.Fatalf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
	d := readGmon(t, out)
	if total(d) < 100 {
		t.Errorf("%d ticks in 2 s", total(d))
	}
	judgeByGprof(t, elf, out, d)
}

func TestGmonUARTBadInput(t *testing.T) {
	old := countingtest.Firmware{Memory: 8192, Bucket: 4, Interval: 997, NoUART: true}.ELF(t)
	s := mprof(t.Context(), nil, "gmon", "fetch", "--port", "sim:"+countingtest.SimOptions, "-o", filepath.Join(t.TempDir(), "gmon.out"), old)
	s.oneSentence(t, 1, "refuses GET_GPROF: it does not know the command")
	mprof(t.Context(), nil, "gmon", "fetch", "--port", "sim", "--probe", "sim", old).oneSentence(t, 2, "exclude each other")
	mprof(t.Context(), nil, "gmon", "fetch", "--port", "sim", "--halt", old).oneSentence(t, 2, "--halt needs a probe")
	mprof(t.Context(), nil, "gmon", "fetch", "--port", "sim", "--baud", "0", old).oneSentence(t, 2, "--baud 0")
}
