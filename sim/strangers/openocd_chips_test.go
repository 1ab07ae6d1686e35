//go:build linux

package strangers

import (
	"strings"
	"testing"

	"github.com/mprof/mprof/sim"
)

// TestOpenOCDChips: OpenOCD finds both cores of chips with several: by TARGETSEL
// on a wire with three ports, with its own configuration for the RP2040; and at
// two addresses behind one port of ADIv6.
func TestOpenOCDChips(t *testing.T) {
	adapter := []string{"-c", "adapter driver cmsis-dap", "-c", "transport select swd", "-c", "adapter speed 4000", "-c", "telnet_port disabled"}
	for _, c := range []struct {
		name    string
		options sim.Options
		config  []string
		cores   [2]string
		says    string
	}{
		{"RP2040", sim.Options{Chip: "rp2040", Seed: 1}, []string{"-f", "target/rp2040.cfg"}, [2]string{"rp2040.core0", "rp2040.core1"}, "DLPIDR 0x10000001"},
		{"RP2040, full speed", sim.Options{Chip: "rp2040", Model: "debugprobe", Seed: 1}, []string{"-f", "target/rp2040.cfg"}, [2]string{"rp2040.core0", "rp2040.core1"}, "DLPIDR 0x10000001"},
		{"RP2350", sim.Options{Chip: "rp2350", Seed: 1}, []string{
			"-c", "swd newdap chip cpu -expected-id 0x4c013477", "-c", "dap create chip.dap -adiv6 -chain-position chip.cpu -dp-id 0x00040927 -instance-id 0",
			"-c", "target create chip.core0 cortex_m -dap chip.dap -ap-num 0x2000 -coreid 0",
			"-c", "target create chip.core1 cortex_m -dap chip.dap -ap-num 0x4000 -coreid 1",
		}, [2]string{"chip.core0", "chip.core1"}, "DPIDR 0x4c013477"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.options)
			o := startConfigured(r, append(adapter[:len(adapter):len(adapter)], c.config...)...)
			for i, core := range c.cores {
				o.do("targets %s", core)
				o.do("halt")
				for n := range 2 {
					if halted := r.board.CoreStateOf(n).Halted; halted != (n == i) {
						t.Errorf("%s was halted: core %d stands: %v", core, n, halted)
					}
				}
				if pc := o.registers("pc")["pc"]; pc>>24 != 0x08 {
					t.Errorf("%s: PC 0x%08x", core, pc)
				}
				o.do("resume")
			}
			log := o.shutdown("already selected")
			if !strings.Contains(log, c.says) {
				t.Errorf("OpenOCD does not say %q:\n%s", c.says, log)
			}
			for n := range 2 {
				if s := r.board.CoreStateOf(n); s.Halted {
					t.Errorf("core %d is left %+v", n, s)
				}
			}
			if strings.HasPrefix(c.options.Chip, "rp2040") && r.board.Rescues() != 0 {
				t.Error("the rescue port was powered")
			}
		})
	}
}
