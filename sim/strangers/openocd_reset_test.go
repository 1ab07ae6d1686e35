//go:build linux

package strangers

import (
	"testing"

	"github.com/mprof/mprof/sim"
)

// TestOpenOCDReset: a reset in each of OpenOCD's ways, from a running and from a
// halted core, with the core caught at its first instruction, and without.
func TestOpenOCDReset(t *testing.T) {
	for _, c := range []struct{ name, config, warning string }{
		{"SYSRESETREQ", "cortex_m reset_config sysresetreq", ""},
		{"VECTRESET", "cortex_m reset_config vectreset", "Only resetting the Cortex-M core"},
		{"nRESET", "reset_config srst_only srst_nogate", ""},
		{"connect under reset", "reset_config srst_only srst_nogate connect_assert_srst", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, sim.Options{Seed: 1})
			o := startOpenOCD(r, c.config)
			entry := function(t, "Reset_Handler")
			for _, state := range []string{"fresh", "halted", "running"} {
				if state == "running" {
					o.do("resume")
				}
				o.do("reset halt")
				if got, truth := o.registers("pc")["pc"], r.register(regPC); got != entry || truth != entry {
					t.Errorf("reset halt, %s core: OpenOCD sees 0x%08x, the core stands at 0x%08x, Reset_Handler is at 0x%08x", state, got, truth, entry)
				}
				if sp := r.register(regSP); sp != r.word(0x08000000) {
					t.Errorf("SP 0x%08x after the reset of a %s core", sp, state)
				}
			}
			o.do("reset run")
			for range 2 { // sees the reset; sees that it is over
				o.do("board.core arp_poll")
			}
			r.running()
			o.do("halt")
			if pc := r.register(regPC); pc == entry {
				t.Error("the core did not run after the reset")
			}
			o.do("resume")
			var expected []string
			if c.warning != "" {
				expected = append(expected, c.warning)
			}
			o.shutdown(expected...)
			if s := r.log.report(); s != "" {
				t.Errorf("the probe reported errors:\n%s", s)
			}
			r.running()
		})
	}
}
