package fit

import (
	"bufio"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/mprof/mprof/profile"
)

// rows of the tables.
const (
	mostStaying = 10
	leastShare  = 0.001 // of the time awake
)

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "To RAM (%s): %d bytes of %d", r.Section, r.Size, r.Budget)
	if r.Veneers > 0 {
		fmt.Fprintf(b, ", %d veneers among them", r.Veneers)
	}
	fmt.Fprintf(b, "\n\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "bytes\t%s\tshare\tper KiB\t\tfunction\n", r.unit())
	for _, i := range r.Moved {
		u := &r.Units[i]
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t\t%s\n", u.Size, r.number(u.Samples), percent(r.part(u.Samples)), r.number(u.Samples*1024/max(1, u.Size)), u.describe())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	r.writeCalls(b)
	r.writeCover(b)
	r.writeResident(b)
	r.writeStaying(b)
	r.writeGain(b)
	for _, remark := range r.Remarks {
		fmt.Fprintf(b, "note: %s\n", remark)
	}
	return b.Flush()
}

// describe names a unit with its clones and its place.
func (u *Unit) describe() string {
	s := u.Name
	if n := len(u.Parts); n > 1 {
		s += fmt.Sprintf(" (%d pieces)", n)
	}
	if u.File != "" {
		s += fmt.Sprintf("  %s:%d", u.File, u.Line)
	}
	return s
}

func (r *Report) writeCover(w io.Writer) {
	fmt.Fprintf(w, "\ncovered    %s of the time awake (%s of %s%s)\n", r.share(r.Covered), r.number(r.Moving), r.amount(r.Total), r.exactness())
	if r.InRAM.Value > 0 {
		fmt.Fprintf(w, "in RAM     %s already\n", r.share(r.InRAM))
	}
	left := r.Total - r.Moving - r.Resident
	fmt.Fprintf(w, "in flash   %s of the time awake remains there\n", percent(r.part(left)))
	if r.Asleep > 0 {
		fmt.Fprintf(w, "asleep     %s of the whole time, which no memory makes shorter\n", percent(float64(r.Asleep)/float64(r.Asleep+r.Total)))
	}
}

func (r *Report) exactness() string {
	if r.Exact {
		return "; no other set within the budget covers more"
	}
	return fmt.Sprintf("; another set could cover up to %s", r.number(r.AtMost))
}

// writeStaying lists what has samples and does not move.
func (r *Report) writeStaying(w io.Writer) {
	moved := map[int]bool{}
	for _, i := range r.Moved {
		moved[i] = true
	}
	n := 0
	for i := range r.Units {
		u := &r.Units[i]
		if moved[i] || u.State == InRAM || u.Samples == 0 || r.part(u.Samples) < leastShare {
			continue
		}
		if n == 0 {
			fmt.Fprintf(w, "\nnot moved:\n")
		}
		if n++; n > mostStaying {
			fmt.Fprintf(w, "  ...\n")
			break
		}
		why := u.State.String()
		if u.State == Movable {
			why = fmt.Sprintf("%d bytes", u.Size)
		}
		fmt.Fprintf(w, "  %6s  %s: %s\n", percent(r.part(u.Samples)), u.Name, why)
	}
}

// writeGain tells covered time from gained time.
func (r *Report) writeGain(w io.Writer) {
	g := r.Gain
	fmt.Fprintf(w, "\nCovered is not gained: a function in RAM saves what it waits for the flash.\n")
	fmt.Fprintf(w, "  flash as fast as RAM (no wait states, or all in its cache)   nothing; calls over veneers cost a little\n")
	if g.Known {
		fmt.Fprintf(w, "  flash that waits %d cycles for each line of %d bytes          about %s of the time awake: %s (straight lines assumed)\n", r.Wait.Cycles, r.Wait.Line, percent(g.Predicted), times(g.Predicted))
	}
	fmt.Fprintf(w, "  never more than                                              %s: %s\n", percent(g.Most), times(g.Most))
	if !g.Known && !r.Traced {
		fmt.Fprintf(w, "  (--flash-wait 5/16: an estimate for 5 cycles for each line of 16 bytes)\n")
	}
	fmt.Fprintln(w)
}

func (r *Report) part(n int64) float64 { return float64(n) / float64(max(1, r.Total)) }

func (r *Report) unit() string {
	if r.Traced {
		return "ms"
	}
	return "samples"
}

func (r *Report) number(n int64) string {
	if r.Traced {
		return fmt.Sprintf("%.1f", float64(n)/1e6)
	}
	return fmt.Sprint(n)
}

// share has an error where it is of samples.
func (r *Report) share(s profile.Share) string {
	if r.Traced {
		return percent(s.Value)
	}
	return percent(s.Value) + " ± " + percent(s.Error)
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// shareJSON is a part with its standard error.
type shareJSON struct {
	Value float64 `json:"value"`
	Error float64 `json:"standard_error"`
}

func jsonShare(s profile.Share) shareJSON { return shareJSON{s.Value, s.Error} }
