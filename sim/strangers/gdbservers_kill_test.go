//go:build linux && cgo

package strangers

import (
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// kill starts mprof sample on a server and kills it, as kill -9 does, after a while. A server
// that has let go of the one before may not yet take another: then it starts again.
func (s *gdbServer) kill(t testing.TB, after time.Duration) {
	t.Helper()
	for tries := 1; ; tries++ {
		s.awaitFree(t)
		said, killed := s.killOnce(t, after)
		if killed {
			return
		}
		if tries == 20 || !strings.Contains(said, "the connection to the GDB server is lost") {
			t.Fatalf("%s: mprof ended by itself: %s\n%s", s.name, said, s.log())
		}
	}
}

// awaitFree waits until a server on a port has seen that the client before is gone.
func (s *gdbServer) awaitFree(t testing.TB) {
	t.Helper()
	_, text, onPort := strings.Cut(s.address, "127.0.0.1:")
	port, _ := strconv.Atoi(text)
	for end := time.Now().Add(time.Minute); onPort && inState(port, "01", "08"); time.Sleep(5 * time.Millisecond) { // TCP_ESTABLISHED, TCP_CLOSE_WAIT
		if time.Now().After(end) {
			t.Fatalf("%s holds on to its client\n%s", s.name, s.log())
		}
	}
}

func (s *gdbServer) killOnce(t testing.TB, after time.Duration) (all string, killed bool) {
	t.Helper()
	program, err := mprof()
	if err != nil {
		t.Fatal(err)
	}
	var said syncBuffer
	cmd := exec.Command(program, "sample", "--probe", "gdb:"+s.address, "--max-overhead", "none", "--rate", "200", "--duration", "1h",
		"--quiet", "-o", t.TempDir()+"/out.folded", s.elf)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	select {
	case <-ended:
		return said.String(), false
	case <-time.After(after):
		_ = cmd.Process.Kill()
		<-ended
		return said.String(), true
	}
}

// goesOn tells whether the core runs, at the latest in a moment.
func (s *gdbServer) goesOn(moment time.Duration) bool {
	for end := time.Now().Add(moment); ; time.Sleep(5 * time.Millisecond) {
		if running, _ := s.state(); running {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// TestKilled: mprof is killed at random moments, from its start through the handshake to
// its samples. OpenOCD that is told so lets the core run; QEMU, and OpenOCD as it comes,
// leave a halted core halted, until mprof connects again and leaves.
func TestKilled(t *testing.T) {
	for _, c := range []struct {
		name    string
		start   func(t testing.TB) *gdbServer
		resumes bool // the core, when the connection is lost
	}{
		{"QEMU", qemuBoard("mps2-an386"), false},
		{"QEMU RISC-V", qemuBoard("virt"), false},
		{"OpenOCD", func(t testing.TB) *gdbServer { return openocdWith(t, 1) }, false},
		{"OpenOCD with gdb-detach", openocdServer, true},
		{"pyOCD", pyocdServer, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			times := 50
			if testing.Short() {
				times = 4
			}
			if c.name == "pyOCD" && testing.Short() {
				t.Skip("a second for each")
			}
			s := c.start(t)
			random := rand.New(rand.NewPCG(uint64(times), 1))
			left := 0
			for range times {
				s.kill(t, time.Duration(random.Int64N(int64(400*time.Millisecond))))
				moment := 50 * time.Millisecond
				if c.resumes {
					moment = 30 * time.Second
				}
				time.Sleep(30 * time.Millisecond) // an interrupt may be under way
				if !s.goesOn(moment) {
					left++
				}
			}
			t.Logf("%s: after %d of %d kills the core stood", s.name, left, times)
			if c.resumes && left > 0 {
				t.Errorf("%s: the core was left halted\n%s", s.name, s.log())
			}
			k := s.sample(t, time.Second, "--rate", "100") // which finds it halted, or not
			if k.samples == 0 {
				t.Errorf("%s: no samples after the kills: %s", s.name, k.said)
			}
			s.runs(t)
		})
	}
}
