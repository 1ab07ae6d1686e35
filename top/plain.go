package top

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Print writes how the run goes and the table as text at every interval until ctx ends. What a screen
// would need colours or a cursor for is left out.
func Print(ctx context.Context, w io.Writer, o Options) error {
	s := &seen{}
	v := o.begin()
	tick := time.NewTicker(o.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		take(s, o.Model)
		if err := v.print(w, s, o.Rows); err != nil {
			return err
		}
	}
}

// Last writes the same as Print once, of a run that is over.
func Last(w io.Writer, o Options) error {
	s := &seen{}
	take(s, o.Model)
	s.over = true
	return o.begin().print(w, s, o.Rows)
}

// unlimited is a width that nothing is cut for.
const unlimited = 1 << 20

func (v *screen) print(to io.Writer, s *seen, most int) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, strings.Join(append([]string{v.title}, factTexts(s.facts(), plainStyles)...), "   "))
	if busy := s.busy(); busy != "" {
		fmt.Fprintln(w, busy)
	}
	for _, text := range s.warnings() {
		fmt.Fprintln(w, text)
	}
	if s.kind != "" {
		rows := v.rows(s, s.contexts()[0])
		more := 0
		if most > 0 && len(rows) > most {
			rows, more = rows[:most], len(rows)-most
		}
		t := layout(columnsOf(s.kind), rows, unlimited)
		fmt.Fprintln(w, t.header(v.sort, v.reverse, plainStyles))
		for i := range rows {
			fmt.Fprintln(w, t.line(i, plainStyles))
		}
		if more > 0 {
			fmt.Fprintf(w, "and %d more\n", more)
		}
	}
	fmt.Fprintln(w)
	return w.Flush()
}
