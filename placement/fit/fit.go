// Package fit finds which functions are worth moving into RAM. In: a profile,
// the program that it is of, how much RAM there is. Out: the functions, what
// they cover and save, and the lines for the linker or the compiler that move
// them.
package fit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
)

// Options say what there is room for.
type Options struct {
	Budget  int64     // bytes of RAM
	Section string    // that the functions go into; "": .ramtext
	RAM     uint32    // where that section will be, for the reach of branches; 0: where the data of the program is
	Map     *LinkMap  // the linker's map; nil: sections are taken to be named as -ffunction-sections does
	Wait    FetchWait // of the flash; the zero value: not known
	Regions [2]string // memory regions of the linker script: RAM, flash; "": RAM and FLASH
}

// Report is what came out.
type Report struct {
	Options
	Units   []Unit // those of the program, the most samples first
	Moved   []int  // of Units: those to move, the most samples first
	Size    int64  // bytes of RAM that they need, veneers included
	Veneers int    // branches from them over the linker's veneers in RAM
	Enter   int    // of them, how many the flash reaches over veneers, which lie in flash

	Counts
	Covered profile.Share // of the samples awake: in what is to be moved
	InRAM   profile.Share // of the samples awake: in what is in RAM already
	Exact   bool          // no other set within the budget covers more
	AtMost  int64         // samples that another set could cover
	Gain    Gain
	Remarks []string
}

// Counts are samples, or nanoseconds of a traced profile.
type Counts struct {
	Total     int64 // awake
	Asleep    int64 // in WFI or WFE: no memory makes that faster
	Elsewhere int64 // awake, and in no function of the program
	Moving    int64 // in what is to be moved
	Resident  int64 // in what is in RAM already
	Immovable int64 // in what must stay, or cannot be named to the linker
	Traced    bool  // nanoseconds
}

// sectionName is what the linker and the assembler take without quotes.
var sectionName = regexp.MustCompile(`^\.[A-Za-z_][A-Za-z0-9_.]*$`)

// standardSections hold the rest of the program: a fragment for one of them would take
// all of it.
var standardSections = []string{".text", ".rodata", ".data", ".bss", ".init", ".fini"}

var errNoFunctions = errors.New("fit: the ELF file has no function symbols: link it without -s")

// Analyse chooses the functions. Errors: options that make no sense, a program
// without function symbols, a profile without samples of it.
func Analyse(p *profile.Profile, program *symbol.Program, o Options) (*Report, error) {
	if o.Section == "" {
		o.Section = ".ramtext"
	}
	if !sectionName.MatchString(o.Section) || slices.Contains(standardSections, o.Section) {
		return nil, fmt.Errorf("fit: section %q: write a name of its own, such as .ramtext", o.Section)
	}
	if o.Budget <= 0 {
		return nil, fmt.Errorf("fit: budget of %d bytes: nothing fits", o.Budget)
	}
	if err := o.Wait.check(); err != nil {
		return nil, err
	}
	for i, name := range [2]string{"RAM", "FLASH"} {
		if o.Regions[i] == "" {
			o.Regions[i] = name
		}
	}
	im := program.App()
	a := &analysis{image: im, profile: p, report: &Report{Options: o}}
	if err := a.readUnits(); err != nil {
		return nil, err
	}
	a.findCalls()
	a.findStartup()
	if err := a.count(); err != nil {
		return nil, err
	}
	if err := a.choose(); err != nil {
		return nil, err
	}
	a.follow()
	a.predict()
	a.remark()
	return a.report, nil
}

// analysis is the way from a profile to a Report.
type analysis struct {
	image   *symbol.Image
	profile *profile.Profile
	report  *Report
	at      unitIndex
	byName  map[string]int
	units   []int            // by stack: the unit whose code it ends in, -1: none
	samples map[uint32]int64 // by address, of those that say one
	ram     uint32
}

// share is what units have of the samples awake, with its standard error; what
// is measured has none.
func (a *analysis) share(units func(i int) bool) profile.Share {
	c := &a.report.Counts
	if c.Traced {
		part := int64(0)
		for i := range a.report.Units {
			if units(i) {
				part += a.report.Units[i].Samples
			}
		}
		return profile.Share{Value: float64(part) / float64(max(1, c.Total))}
	}
	return a.profile.ShareOf(func(s *profile.Sample) bool { return !a.asleep(s) },
		func(s *profile.Sample) bool { i := a.units[s.Stack]; return i >= 0 && units(i) })
}
