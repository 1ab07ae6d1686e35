package main

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/session/counting"
	"github.com/mprof/mprof/symbol"
)

func isStdout(path string) bool { return path == "-" || path == "/dev/stdout" }

// isGmon tells whether a name is that of gprof's file, as export has it: app.out is an ELF file.
func isGmon(path string) bool {
	f, err := export.ByPath(path)
	return err == nil && f.Ext == export.GmonExt
}

// numbered puts a number before the extension: gmon-001.out, profile-012.pb.gz.
func numbered(path string, n int) string {
	extension := filepath.Ext(path)
	if f, err := export.ByPath(path); err == nil && strings.HasSuffix(strings.ToLower(path), f.Ext) {
		extension = path[len(path)-len(f.Ext):]
	}
	return fmt.Sprintf("%s-%03d%s", strings.TrimSuffix(path, extension), n, extension)
}

// gmonOutput is where the readings of one run of mprof gmon fetch go.
type gmonOutput struct {
	app   *app
	flags *gmonFlags
	of    *symbol.Program // nil: no ELF file was named
}

// gmonReading is a reading as it is printed.
type gmonReading struct {
	data    *gmon.Data
	Ticks   uint32  `json:"ticks,omitempty"`
	Counted uint64  `json:"counted"` // of them, in the histogram
	Arcs    int     `json:"arcs"`
	Seconds float64 `json:"interval_s"` // of a tick
	Took    float64 `json:"took_s"`
	Halted  float64 `json:"halted_s"`
	Reset   bool    `json:"reset"`

	Outside   uint32   `json:"outside,omitempty"`
	Saturated uint32   `json:"saturated,omitempty"`
	ArcsLost  uint32   `json:"calls_lost,omitempty"`
	Remarks   []string `json:"remarks"`
	Files     []string `json:"files"`
}

// take writes the files of a reading and says what was fetched.
func (r *gmonOutput) take(c *counting.Reading) (err error) {
	g := &gmonReading{
		data: c.Data, Ticks: c.Ticks, Counted: c.Counted, Arcs: len(c.Data.Arcs), Seconds: c.Interval,
		Took: c.Took.Seconds(), Halted: c.Halted.Seconds(), Reset: c.Reset,
		Outside: c.Outside, Saturated: c.Saturated, ArcsLost: c.ArcsLost, Remarks: c.Remarks,
	}
	for _, path := range r.flags.outputs {
		if c.Number > 0 {
			path = numbered(path, c.Number)
		}
		if e := r.write(path, g); e != nil {
			err = errors.Join(err, e)
		} else {
			g.Files = append(g.Files, path)
		}
	}
	return errors.Join(err, r.tell(g))
}

// write writes one file. gmon.out gets what was counted as it is, others a profile of it.
func (r *gmonOutput) write(path string, g *gmonReading) error {
	if isGmon(path) {
		return export.Write(path, func(w io.Writer) error { return g.data.Encode(w, binary.LittleEndian) })
	}
	p, err := export.ReadGmon(g.data, export.Input{Program: r.of})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	p.Taken.Command, p.Taken.Version = r.flags.command, versionString()
	p.Taken.Remarks = append(p.Taken.Remarks, g.Remarks...)
	return export.WriteFile(path, p)
}

// tell prints what was fetched.
func (r *gmonOutput) tell(g *gmonReading) error {
	w := r.app.stdout
	for _, path := range r.flags.outputs {
		if isStdout(path) {
			w = r.app.stderr
		}
	}
	switch {
	case r.flags.json:
		return json.NewEncoder(w).Encode(g)
	case r.flags.quiet:
		return nil
	}
	elf := "app.elf"
	if r.of != nil {
		elf = r.of.App().Path()
	}
	_, err := io.WriteString(w, g.text(elf))
	return err
}

// text is what people read.
func (g *gmonReading) text(elf string) string {
	var b strings.Builder
	span := time.Duration(float64(g.Counted) * g.Seconds * float64(time.Second))
	written := cmp.Or(strings.Join(g.Files, ", "), "nothing written")
	fmt.Fprintf(&b, "%s: %d ticks of %.4g ms (%v), %d arcs\n", written, g.Counted, 1000*g.Seconds, span.Round(time.Millisecond), g.Arcs)
	for _, s := range g.Remarks {
		if !strings.HasSuffix(s, "?") {
			s += "."
		}
		fmt.Fprintf(&b, "  %s\n", s)
	}
	for _, path := range g.Files {
		if isGmon(path) {
			fmt.Fprintf(&b, "  next: arm-none-eabi-gprof %s %s\n", elf, path)
		}
	}
	return b.String()
}
