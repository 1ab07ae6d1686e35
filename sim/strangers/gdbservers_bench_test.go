//go:build linux && cgo

package strangers

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// benchTime is how long each way works, by the wall clock.
const benchTime = 5 * time.Second

// BenchmarkGDBServers prints the table of docs/targets.md, "What a sample costs": mprof, and
// gdb by a script, through each server, and mprof on the probe itself. Halted time is the
// board's own, in slow motion, so that a real probe's host costs what it does here divided by
// slowMotion; that of QEMU is what mprof measures.
func BenchmarkGDBServers(b *testing.B) {
	for b.Loop() {
		var s strings.Builder
		s.WriteString("\n| target | by | samples/s | halted per sample | halted share |\n|---|---|--:|--:|--:|\n")
		for _, board := range []string{"mps2-an386", "virt"} {
			server := qemuBoard(board)(b)
			k := server.sample(b, benchTime, "--rate", "5000")
			fmt.Fprintf(&s, "| %s | mprof | %.0f | %s | |\n", server.name, float64(k.samples)/k.took.Seconds(), micros(k.quantile(.5)))
			start := time.Now()
			n, halted := scriptedOn(b, server)
			fmt.Fprintf(&s, "| %s | gdb, scripted | %.0f | %s | |\n", server.name, float64(n)/time.Since(start).Seconds(), micros(halted))
		}
		for _, c := range []struct {
			model string
			start func() *gdbServer
		}{
			{"mcu-link", func() *gdbServer { return openocdWith(b, slowMotion, resumeOnLoss) }},
			{"daplink-hid", func() *gdbServer { return pyocdWith(b, slowMotion) }},
		} {
			server := c.start()
			from := server.rig.account()
			k := server.sample(b, benchTime, "--rate", "5000")
			s.WriteString(boardRow(c.model+", "+server.name, "mprof", k.samples, from, server.rig.account()))
			if c.model == "mcu-link" { // gdb 13 and pyOCD 0.13 wait for one another
				from = server.rig.account()
				n, _ := scriptedOn(b, server)
				s.WriteString(boardRow(c.model+", "+server.name, "gdb, scripted", n, from, server.rig.account()))
			}
			server.rig.close()

			direct := sharesRig(b, c.model, slowMotion)
			o := profileMprof(b, direct.rig, benchTime, "--rate", "5000", "--max-overhead", "none")
			direct.rig.close()
			s.WriteString(boardRow(c.model, "mprof", o.samples, account{}, account{now: o.elapsed, halted: o.halted}))
		}
		fmt.Println(s.String()) // b.Log keeps ten lines
	}
}

func scriptedOn(t testing.TB, s *gdbServer) (n int, halted time.Duration) {
	g := scriptGDB(t, s)
	n = g.profile(benchTime, 1)
	g.end()
	return n, g.halted / time.Duration(max(n, 1))
}

func boardRow(target, by string, samples int, from, to account) string {
	elapsed, halted := to.now-from.now, to.halted-from.halted
	return fmt.Sprintf("| %s | %s | %.0f | %s | %.0f %% |\n", target, by, float64(samples)/elapsed.Seconds(), micros(halted/time.Duration(max(samples, 1))),
		100*halted.Seconds()/elapsed.Seconds())
}
