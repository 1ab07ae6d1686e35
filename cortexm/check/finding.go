package check

import (
	"fmt"
	"strings"
	"time"
)

// Verdict says whether what was found is what the driver assumes.
type Verdict string

const (
	OK         Verdict = "ok"          // as assumed
	Differs    Verdict = "differs"     // otherwise; the consequence says what mprof does
	CannotTell Verdict = "cannot tell" // the facts say why
)

// Finding is what one check brought to light.
type Finding struct {
	Point   string   `json:"point"` // the letter of docs/hardware.md
	Name    string   `json:"name"`
	Verdict Verdict  `json:"verdict"`
	Facts   []string `json:"facts"`           // sentences
	Short   string   `json:"short,omitempty"` // for a row of a table
	// Consequence is what mprof does, the things being so.
	Consequence string             `json:"consequence,omitempty"`
	Values      map[string]float64 `json:"values,omitempty"` // the figures; names end in their unit
	// Unsafe: sampling this way could leave the core halted or make up samples.
	Unsafe bool `json:"unsafe,omitempty"`
}

func (f *Finding) fact(format string, args ...any) {
	f.Facts = append(f.Facts, fmt.Sprintf(format, args...))
}

func (f *Finding) value(name string, v float64) {
	if f.Values == nil {
		f.Values = make(map[string]float64)
	}
	f.Values[name] = v
}

func (f *Finding) short(format string, args ...any) { f.Short = fmt.Sprintf(format, args...) }

// judge sets the verdict and what follows from it.
func (f *Finding) judge(ok bool, consequence, otherwise string) {
	f.Verdict, f.Consequence = OK, consequence
	if !ok {
		f.Verdict, f.Consequence = Differs, otherwise
	}
}

// Report is what Run found.
type Report struct {
	Product  string `json:"product"`
	Serial   string `json:"serial,omitempty"`
	Firmware string `json:"firmware,omitempty"`
	Protocol string `json:"protocol,omitempty"` // version of CMSIS-DAP
	Core     string `json:"core"`
	DPIDR    uint32 `json:"dpidr"`
	AP       uint32 `json:"ap"` // number (ADIv5) or address (ADIv6)
	APIDR    uint32 `json:"apidr"`
	SWCLKHz  uint32 `json:"swclk_hz"` // as asked for

	Findings []Finding `json:"findings"`

	// What the core was halted for, by the host's clock.
	Halts         int           `json:"halts"`
	HaltedTotal   time.Duration `json:"halted_total_ns"`
	HaltedLongest time.Duration `json:"halted_longest_ns"`
}

// Unsafe names the checks that say that sampling is not safe.
func (r *Report) Unsafe() (names []string) {
	for _, f := range r.Findings {
		if f.Unsafe {
			names = append(names, f.Name)
		}
	}
	return names
}

// columns of the table in docs/hardware.md, by the letters of the checks.
const columns = "aiejmbcdfnopq"

// Columns are the heads of the table's columns behind probe and target.
func Columns() (heads []string) {
	for _, c := range columns {
		for _, one := range all {
			if one.point == string(c) {
				heads = append(heads, fmt.Sprintf("%s (%s)", one.name, one.point))
			}
		}
	}
	return heads
}

// Row is what the report has for these columns.
func (r *Report) Row() (cells []string) {
	for _, c := range columns {
		cell := "-"
		for _, f := range r.Findings {
			if f.Point != string(c) {
				continue
			}
			if cell = f.Short; cell == "" || f.Verdict == CannotTell {
				cell = string(f.Verdict)
			}
			if f.Unsafe {
				cell += ", NOT SAFE"
			}
		}
		cells = append(cells, cell)
	}
	return cells
}

// identify fills the head of the report.
func (b *bench) identify() {
	info, r := b.p.Info(), b.report
	r.Product, r.Serial, r.Firmware, r.Protocol = info.Product, info.Serial, info.Firmware, info.Protocol
	r.Core, r.SWCLKHz = b.core.Description(), b.asked
	r.DPIDR, r.AP, r.APIDR = b.p.DPIDR(), b.p.APIndex(), b.p.APIDR()
}

// micros writes a time as people measure it on a wire.
func micros(d time.Duration) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(d)/1e3), ".0") + " us"
}

func megahertz(hz float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.2f", hz/1e6), ".00") + " MHz"
}
