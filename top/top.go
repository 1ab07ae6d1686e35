// Package top shows a run in a terminal while it goes on. In: a live model. Out: a screen with how the
// run goes and the table of functions, refreshed, sorted and filtered as the user says; or the same as
// plain text, where there is no terminal.
package top

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/mprof/mprof/live"
)

// Model is what top reads of a run; *live.Model is one.
type Model interface {
	Since(run, rev uint64) *live.Update
}

// Options say what is shown and how.
type Options struct {
	Model    Model
	Kind     live.Kind     // that Sort is for
	Title    string        // what runs where
	Sort     string        // one of Keys; "": that of the summary
	Filter   string        // only functions with this in their name, or in that of their file
	Interval time.Duration // between refreshes
	Rows     int           // of the table as plain text; 0: all
}

// begin is the screen before a key was pressed.
func (o *Options) begin() *screen {
	v := &screen{width: 80, height: 24, title: printable(o.Title), kind: o.Kind, sort: o.Sort, filter: o.Filter}
	if v.sort == "" {
		v.sort = ownOrder(o.Kind)
	}
	return v
}

// take brings what was seen up to date.
func take(s *seen, m Model) {
	if s.apply(m.Since(s.run, s.rev)) != nil {
		_ = s.apply(m.Since(0, 0)) // what does not fit even then is shown as far as it goes
	}
}

// Show draws the screen until ctx ends or the user wants to go. in and out are a terminal; environ
// is the environment that says what it can do (TERM, NO_COLOR).
func Show(ctx context.Context, in io.Reader, out io.Writer, environ []string, o Options) error {
	p := &program{o: &o, screen: o.begin(), seen: &seen{}}
	t := tea.NewProgram(p, tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(environ), tea.WithoutSignalHandler())
	defer context.AfterFunc(ctx, t.Quit)()
	_, err := t.Run()
	if err != nil && !errors.Is(err, tea.ErrInterrupted) {
		return fmt.Errorf("top: %w", err)
	}
	return nil
}

// program is the screen as bubbletea wants it.
type program struct {
	o      *Options
	screen *screen
	seen   *seen
}

// refresh is the time to look at the model again.
type refresh struct{}

func (p *program) again() tea.Cmd {
	return tea.Tick(p.o.Interval, func(time.Time) tea.Msg { return refresh{} })
}

// Init looks at the model for the first time.
func (p *program) Init() tea.Cmd { return func() tea.Msg { return refresh{} } }

// Update takes a key, a new size, or the time to look.
func (p *program) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	switch m := m.(type) {
	case refresh:
		if !p.screen.paused {
			take(p.seen, p.o.Model)
		}
		return p, p.again()
	case tea.WindowSizeMsg:
		p.screen.width, p.screen.height = max(1, m.Width), max(1, m.Height)
	case tea.KeyPressMsg:
		if p.screen.press(m.String(), m.Text, p.seen) {
			return p, tea.Quit
		}
	case tea.PasteMsg:
		if p.screen.typing {
			p.screen.typeFilter("", m.Content)
		}
	}
	return p, nil
}

// View is the screen.
func (p *program) View() tea.View {
	v := tea.NewView(p.screen.draw(p.seen))
	v.AltScreen = true
	return v
}

// printable is a name without what would move a terminal's cursor.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
}
