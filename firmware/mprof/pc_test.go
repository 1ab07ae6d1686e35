package mprof_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/mprof/mprof/trace"
)

// drivers are the module and the driver of testdata/pc, compiled for this
// machine: with exclusive accesses, and with masked interrupts as on ARMv6-M.
var drivers = map[string]func() (string, error){
	"exclusive": sync.OnceValues(func() (string, error) { return buildDriver() }),
	"masked":    sync.OnceValues(func() (string, error) { return buildDriver("-DFAKE_ARMV6M") }),
}

var driverFolder string

// driver builds one of them.
func driver(t *testing.T, kind string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the driver wants GNU ld (--wrap)")
	}
	tool(t, "cc", "apt install gcc libc6-dev")
	path, err := drivers[kind]()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMain(m *testing.M) {
	var err error
	if driverFolder, err = os.MkdirTemp("", "mprof"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(driverFolder)
	os.Exit(code)
}

func buildDriver(flags ...string) (string, error) {
	files, err := filepath.Glob("src/*.c")
	if err != nil {
		return "", err
	}
	out, err := os.CreateTemp(driverFolder, "driver")
	if err != nil {
		return "", err
	}
	out.Close()
	args := append([]string{
		"-g", "-O1", "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
		"-DMPROF_TIME_PORT", `-DMPROF_CPU="fake_cpu.h"`, "-Itestdata/pc", "-o", out.Name(),
		"-Wl,--wrap=mprof_start,--wrap=mprof_stop,--wrap=mprof_reset,--wrap=mprof_time_shift", "testdata/pc/driver.c", "testdata/pc/fake.c", "testdata/pc/script.c",
	}, append(flags, files...)...)
	if text, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("cc: %v\n%s", err, text)
	}
	return out.Name(), nil
}

// settings of a run of the driver (testdata/pc/fake.h).
type settings struct {
	seed, interrupts, levels, step, start, hz, speed, actions, jumps uint32
	version, shift, size, depth, contexts, packet, controls, pendsv  uint32
}

func (s settings) args() []string {
	var args []string
	for _, v := range []struct {
		name  string
		value uint32
	}{
		{"seed", s.seed}, {"interrupts", s.interrupts}, {"levels", s.levels}, {"step", s.step}, {"start", s.start}, {"hz", s.hz},
		{"speed", s.speed}, {"actions", s.actions}, {"jumps", s.jumps}, {"version", s.version}, {"shift", s.shift}, {"size", s.size},
		{"depth", s.depth}, {"contexts", s.contexts}, {"packet", s.packet}, {"controls", s.controls}, {"pendsv", s.pendsv},
	} {
		args = append(args, v.name, strconv.FormatUint(uint64(v.value), 10))
	}
	return args
}

// someSettings are a run's, from very small to comfortable.
func someSettings(r *rand.Rand, version uint32) settings {
	pick := func(v ...uint32) uint32 { return v[r.IntN(len(v))] }
	s := settings{
		seed: r.Uint32(), interrupts: pick(0, 5, 20, 60), levels: pick(1, 2, 4), step: pick(1, 7, 300, 40000), start: pick(0, 0x7FFFFF00, 0xFFFFFF00),
		hz: pick(32768, 1_000_000, 16_000_000, 168_000_000), speed: pick(3, 20, 200), actions: pick(100, 800), jumps: pick(0, 20), version: version, shift: pick(0, 3, 0xFF),
		size: pick(700, 2400, 6000, 40000), depth: pick(2, 5, 64), contexts: pick(1, 1, 3), packet: pick(64, 100, 512), pendsv: pick(0, 1),
	}
	if s.depth == 64 {
		s.depth = 2000 // as deep as it gets
		s.controls = pick(0, 0, 4, 50)
	} else {
		s.pendsv = 0
	}
	if version == 1 && s.controls > 0 {
		s.hz = 1_000_000 // no two calls at the same time: nothing else tells one run from the next
	}
	s.step = min(s.step, s.hz/1024) // no quarter of a second between two bytes
	s.size += s.contexts*(s.depth+2)*24 + 2*s.packet
	return s
}

// run executes the driver, and gives its log.
func (s settings) run(t *testing.T, kind string) []byte {
	t.Helper()
	c := exec.Command(driver(t, kind), s.args()...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("driver %v: %v\n%s", s.args(), err, errs.String())
	}
	return out.Bytes()
}

// TestEveryRecord: what the module sends is what happened, all of it, in
// order, and what it could not keep is counted, whatever interrupts it and
// wherever.
func TestEveryRecord(t *testing.T) {
	runs := 60
	if testing.Short() {
		runs = 12
	}
	for _, version := range []uint32{1, 2} {
		for kind := range drivers {
			t.Run(fmt.Sprintf("version %d, %s", version, kind), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(version), 7))
				for range runs {
					s := someSettings(r, version)
					judge(t, s, s.run(t, kind))
					if t.Failed() {
						t.Fatalf("%s driver %v", kind, s.args())
					}
				}
			})
		}
	}
}

// judge compares the bytes of a run with its log.
func judge(t *testing.T, s settings, log []byte) {
	t.Helper()
	o := &oracle{shift: tickShift(s), depth: int(s.depth), tasks: map[int]*activity{}, epochs: make([]epoch, 1)}
	o.read(t, log)
	v := &verdict{t: t, o: o, version: int(s.version), tickHz: uint64(s.hz >> o.shift)}
	d := trace.NewDecoder(v, trace.DecoderOptions{Variant: &trace.Variant{}})
	d.Write(o.bytes)
	d.Close()
	v.end()
}

func tickShift(s settings) uint32 {
	if s.version > 1 && s.shift != 0xFF {
		if s.hz>>s.shift > 0 {
			return s.shift
		}
	}
	var shift uint32
	for s.hz>>(shift+1) >= 1_000_000 {
		shift++
	}
	return shift
}
