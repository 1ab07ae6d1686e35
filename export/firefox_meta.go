package export

import (
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
)

type firefoxMeta struct {
	Version                    int                   `json:"version"`
	PreprocessedProfileVersion int                   `json:"preprocessedProfileVersion"`
	Interval                   float64               `json:"interval"`  // ms
	StartTime                  float64               `json:"startTime"` // ms since 1970
	ProcessType                int                   `json:"processType"`
	Product                    string                `json:"product"`
	Stackwalk                  int                   `json:"stackwalk"`
	Symbolicated               bool                  `json:"symbolicated"`
	Categories                 []firefoxCategory     `json:"categories"`
	MarkerSchema               []firefoxMarkerSchema `json:"markerSchema"`
	SampleUnits                map[string]string     `json:"sampleUnits"`
	Platform                   string                `json:"platform"`
	ABI                        string                `json:"abi"`
	CPUName                    string                `json:"CPUName,omitempty"`
	Device                     string                `json:"device,omitempty"`
	ImportedFrom               string                `json:"importedFrom"`
	Arguments                  string                `json:"arguments,omitempty"`
	Extra                      []firefoxExtra        `json:"extra"`
	InitialVisibleThreads      []int                 `json:"initialVisibleThreads"`
	InitialSelectedThreads     []int                 `json:"initialSelectedThreads"`
	KeepProfileThreadOrder     bool                  `json:"keepProfileThreadOrder"`
	UsesOnlyOneStackType       bool                  `json:"usesOnlyOneStackType"`
	SourceCodeIsNotOnSearchfox bool                  `json:"sourceCodeIsNotOnSearchfox"`
}

type firefoxCategory struct {
	Name          string   `json:"name"`
	Color         string   `json:"color"`
	Subcategories []string `json:"subcategories"`
}

// subcategoryGuessed marks frames that were found by scanning the stack.
const subcategoryGuessed = 1

// categoryColors by profile.Category; the viewer wants a grey one.
var categoryColors = [profile.NumCategories]string{profile.Thread: "blue", profile.Interrupt: "orange", profile.Idle: "transparent", profile.Unknown: "grey"}

func firefoxCategories() (out []firefoxCategory) {
	for c := range profile.NumCategories {
		out = append(out, firefoxCategory{c.String(), categoryColors[c], []string{"Other", "Guessed"}})
	}
	return out
}

type firefoxExtra struct {
	Label   string              `json:"label"`
	Entries []firefoxExtraEntry `json:"entries"`
}

type firefoxExtraEntry struct {
	Label  string `json:"label"`
	Format string `json:"format"`
	Value  any    `json:"value"`
}

// rowInterval is the nominal time from one row of samples to the next.
func rowInterval(p *profile.Profile) time.Duration {
	rows, samples := 0, p.Samples()
	for _, t := range p.Threads {
		rows += len(t.Samples)
	}
	if rows == samples && p.Trace == nil {
		return p.Period
	}
	return p.Duration / time.Duration(max(rows, 1))
}

func newFirefoxMeta(p *profile.Profile) firefoxMeta {
	m := firefoxMeta{
		Version: firefoxGeckoVersion, PreprocessedProfileVersion: firefoxProcessedVersion,
		Interval: milliseconds(rowInterval(p)), Product: processName(p), Stackwalk: 1, Symbolicated: true,
		Categories: firefoxCategories(), MarkerSchema: []firefoxMarkerSchema{eventSchema},
		SampleUnits: map[string]string{"time": "ms", "eventDelay": "ms", "threadCPUDelta": "µs"},
		Platform:    "Cortex-M", ABI: "arm-eabi", Device: p.Taken.Device, CPUName: p.Taken.Device,
		ImportedFrom: strings.TrimSpace("mprof " + p.Taken.Version), Arguments: strings.Join(p.Taken.Command, " "),
		KeepProfileThreadOrder: true, UsesOnlyOneStackType: true, SourceCodeIsNotOnSearchfox: true,
		InitialSelectedThreads: []int{0},
	}
	if p.Mapping.RISCV {
		m.Platform, m.ABI = "RISC-V", "riscv32-elf"
	}
	if p.Trace != nil {
		m.MarkerSchema = append(m.MarkerSchema, callSchema)
		m.SampleUnits["threadCPUDelta"] = "ns"
	}
	if !p.Start.IsZero() {
		m.StartTime = float64(p.Start.UnixMicro()) / 1e3
	}
	if m.Interval == 0 {
		m.Interval = 1
	}
	for i := range p.Threads {
		m.InitialVisibleThreads = append(m.InitialVisibleThreads, i)
	}
	for _, g := range facts(p) {
		extra := firefoxExtra{Label: g.title}
		for _, f := range g.facts {
			extra.Entries = append(extra.Entries, firefoxExtraEntry{f.label, f.format, f.value})
		}
		m.Extra = append(m.Extra, extra)
	}
	return m
}
