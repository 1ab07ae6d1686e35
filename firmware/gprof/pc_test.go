package gprof_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// drivers are the module and the driver of testdata/pc, compiled for this machine: with exclusive accesses, and
// with masked interrupts as on ARMv6-M.
var drivers = map[string]func() (string, error){
	"exclusive": sync.OnceValues(func() (string, error) { return buildDriver() }),
	"masked":    sync.OnceValues(func() (string, error) { return buildDriver("-DGPROF_FAKE_MASKED") }),
}

var driverFolder string

func TestMain(m *testing.M) {
	var err error
	if driverFolder, err = os.MkdirTemp("", "gprof"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(driverFolder)
	os.Exit(code)
}

func buildDriver(flags ...string) (string, error) {
	out, err := os.CreateTemp(driverFolder, "driver")
	if err != nil {
		return "", err
	}
	out.Close()
	files, err := filepath.Glob("src/*.c")
	if err != nil {
		return "", err
	}
	args := append([]string{
		"-g", "-O1", "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-pie", "-no-pie",
		`-DGPROF_CPU="fake_cpu.h"`, "-Isrc", "-Itestdata/pc", "-o", out.Name(), "testdata/pc/driver.c",
	}, append(flags, files...)...)
	if text, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("cc: %v\n%s", err, text)
	}
	return out.Name(), nil
}

// What the driver does (testdata/pc/driver.c).
const (
	memory = iota
	on
	off
	reset
	call
	hit
	request
	dump
	poke
)

// operation is one of them, and by which others it is interrupted, and where.
type operation struct {
	kind       uint32
	args       [4]uint32
	at         []uint32
	interrupts []operation
}

func do(kind uint32, args ...uint32) operation {
	o := operation{kind: kind}
	copy(o.args[:], args)
	return o
}

func (o operation) append(b []byte) []byte {
	for _, v := range append([]uint32{o.kind}, o.args[:]...) {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(o.at)))
	for i, at := range o.at {
		b = o.interrupts[i].append(binary.LittleEndian.AppendUint32(b, at))
	}
	return b
}

type arc struct{ From, Self, Count, Next uint32 }

// block is struct gprof_block.
type block struct {
	Version, Size, State, Epoch, Low, High, BucketShift, Buckets, Counters, TimerHz, TimerPeriod, Ticks, Outside, Saturated,
	Hash, HashShift, Slots, Arcs, ArcsSize, ArcsUsed, ArcsLost, Request, Wanted uint32
}

// held is what the module holds.
type held struct {
	Result, Given, Started, Stopped, Problem uint32
	block
	counters, hash []uint16
	arcs           []arc
}

// run has a driver do operations; every dump among them is in the result.
func run(t *testing.T, kind string, operations ...operation) (all []held) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the driver wants static memory at addresses of 32 bits")
	}
	tool(t, "cc", "apt install gcc libc6-dev")
	path, err := drivers[kind]()
	if err != nil {
		t.Fatal(err)
	}
	var in []byte
	for _, o := range operations {
		in = o.append(in)
	}
	c := exec.Command(path)
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(in), &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("driver: %v\n%s", err, errs.String())
	}
	for out.Len() > 0 {
		all = append(all, readHeld(t, &out))
	}
	return all
}

func readHeld(t *testing.T, r *bytes.Buffer) (h held) {
	t.Helper()
	read := func(v any) {
		t.Helper()
		if err := binary.Read(r, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	read(&h.Result)
	read(&h.Given)
	read(&h.Started)
	read(&h.Stopped)
	read(&h.Problem)
	read(&h.block)
	if h.Version == 0 {
		return h
	}
	if h.Version != 0x67700001 || int(h.Size) != binary.Size(h.block) {
		t.Fatalf("version 0x%08x, size %d", h.Version, h.Size)
	}
	h.counters, h.hash, h.arcs = make([]uint16, h.Buckets), make([]uint16, h.Slots+1), make([]arc, h.ArcsUsed)
	read(h.counters)
	read(h.hash)
	read(h.arcs)
	h.check(t)
	return h
}

// check is what holds at any time outside of the module.
func (h *held) check(t *testing.T) {
	t.Helper()
	sum := uint64(h.Outside) + uint64(h.Saturated)
	for _, n := range h.counters {
		sum += uint64(n)
	}
	if uint64(h.Ticks) != sum {
		t.Fatalf("%d ticks, %d in counters, outside and saturated", h.Ticks, sum)
	}
	linked := make([]bool, len(h.arcs))
	for slot, n := range h.hash {
		for ; n != 0; n = uint16(h.arcs[n-1].Next) {
			if int(n) > len(h.arcs) || linked[n-1] {
				t.Fatalf("slot %d: arc %d of %d is linked twice or not there", slot, n-1, len(h.arcs))
			}
			linked[n-1] = true
			if want := min((h.arcs[n-1].From-h.Low)>>h.HashShift, h.Slots); int(want) != slot {
				t.Fatalf("%+v in slot %d, want %d", h.arcs[n-1], slot, want)
			}
		}
	}
	for i, a := range h.arcs {
		if !linked[i] && a.Count != 0 {
			t.Fatalf("arc %d is not linked: %+v", i, a)
		}
	}
}

// calls is the counts by return address and function.
func (h *held) calls(t *testing.T) map[[2]uint32]uint32 {
	t.Helper()
	m := map[[2]uint32]uint32{}
	for _, a := range h.arcs {
		key := [2]uint32{a.From, a.Self}
		if _, twice := m[key]; twice && a.Count != 0 {
			t.Fatalf("two arcs of %x", key)
		}
		if a.Count != 0 {
			m[key] = a.Count
		}
	}
	return m
}
