package tcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/probe/probetest"
	"github.com/mprof/mprof/probe/tcp"
	"github.com/mprof/mprof/sim"
)

// The process that is stopped is this binary again, as the user of the probe at an address.
const addressVariable = "MPROF_TCP_TEST_ADDRESS"

func TestMain(m *testing.M) {
	address := os.Getenv(addressVariable)
	if address == "" {
		os.Exit(m.Run())
	}
	if err := use(context.Background(), address); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// patience of that process, for each packet; it is also what the other end may need on a busy machine.
const patience = time.Second

// stopsOfAll is how often a process is stopped.
const stopsOfAll = 6

// use opens the probe, reads memory for a while and closes it, and allows for no error.
func use(ctx context.Context, address string) error {
	tr, err := tcp.Open(ctx, address)
	if err != nil {
		return err
	}
	p, err := probe.Open(ctx, tr, probe.Options{Timeout: patience})
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	first := make([]byte, 3000)
	if err := p.ReadMemory(ctx, 0x08000000, first); err != nil {
		return err
	}
	for range 40 {
		again := make([]byte, len(first))
		if err := p.ReadMemory(ctx, 0x08000000, again); err != nil {
			return err
		}
		if !bytes.Equal(first, again) {
			return errors.New("wrong data")
		}
	}
	return p.Close()
}

// TestStoppedProcess: a process that stands still for longer than it waits for an answer, wherever it is, finds the answer
// when it goes on.
func TestStoppedProcess(t *testing.T) {
	var all sync.WaitGroup
	defer all.Wait()
	for seed := range uint64(4) {
		all.Go(func() {
			t.Run(fmt.Sprint(seed), func(t *testing.T) { stopped(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func stopped(t *testing.T, random *rand.Rand) {
	b, err := sim.New(sim.Options{ELF: demo.ELF})
	if err != nil {
		t.Fatal(err)
	}
	pid, started := 0, make(chan struct{})
	stops, next := 0, 1+random.IntN(10)
	behind := &probetest.Stopped{Transport: b.Transport(), Stops: func([]byte) (int, time.Duration) {
		if next--; next > 0 || stops == stopsOfAll {
			return 0, 0
		}
		<-started
		stops++
		next = 1 + random.IntN(30)
		return pid, patience/2 + time.Duration(random.Int64N(int64(2*patience)))
	}}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), addressVariable+"="+serve(t, behind))
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid = cmd.Process.Pid
	close(started)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if stops < stopsOfAll {
		t.Errorf("it was stopped %d times, want %d", stops, stopsOfAll)
	}
}
