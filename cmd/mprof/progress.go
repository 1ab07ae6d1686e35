package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/tracing"
)

// progress draws one line on a terminal while a run goes on: time, samples,
// rate reached, share of time stolen, stacks cut; or calls. Elsewhere it is silent.
type progress struct {
	bar   *progressbar.ProgressBar
	total time.Duration // 0: until Ctrl-C
	next  time.Time     // of the next redraw, on the host's clock
}

const redraw = 100 * time.Millisecond

// newProgress draws to where errors go; total 0 is until Ctrl-C.
func (a *app) newProgress(quiet bool, total time.Duration) *progress {
	w := a.stderr
	if quiet || !a.errTerminal {
		return &progress{}
	}
	limit := int64(-1)
	if total > 0 {
		limit = total.Milliseconds()
	}
	return &progress{total: total, bar: progressbar.NewOptions64(limit,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionThrottle(redraw/2),
	)}
}

// samples says how sampling goes.
func (p *progress) samples(s sampling.Progress) {
	p.draw(s.At.Milliseconds(), func() string { return progressText(s) })
}

// calls says how tracing goes, or how much of a recording is played.
func (p *progress) calls(t tracing.Progress) {
	switch {
	case t.Read < 0:
		p.draw(t.At.Milliseconds(), func() string { return tracingText(t) })
	case t.Size > 0:
		p.draw(t.Read/1024, func() string {
			return fmt.Sprintf("%3.0f %%  %d calls  %d lost", 100*float64(t.Read)/float64(t.Size), t.Calls, t.Lost)
		})
	}
}

func tracingText(t tracing.Progress) string {
	rate := 0.0
	if t.At > 0 {
		rate = float64(t.Calls) / t.At.Seconds()
	}
	text := fmt.Sprintf("%6.1f s  %d calls  %.0f/s  %d lost", t.At.Seconds(), t.Calls, rate, t.Lost)
	if t.Buffer > 0 && t.Used > 0 {
		text += fmt.Sprintf("  buffer %.0f %%", 100*float64(t.Used)/float64(t.Buffer))
	}
	return text
}

// draw redraws at most ten times a second.
func (p *progress) draw(position int64, text func() string) {
	if p.bar == nil {
		return
	}
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(redraw)
	p.bar.Describe(text())
	_ = p.bar.Set64(position)
}

func progressText(s sampling.Progress) string {
	rate, stolen := 0.0, 0.0
	if s.At > 0 {
		rate = float64(s.Taken) / s.At.Seconds()
		stolen = 100 * float64(s.Halted) / float64(s.At)
	}
	return fmt.Sprintf("%6.1f s  %d samples  %.0f/s  %.2f %% stolen  %d cut", s.At.Seconds(), s.Taken, rate, stolen, s.Cut)
}

// clear makes room for a message; the next update draws the line again.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// done removes the line.
func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
		_ = p.bar.Clear()
	}
}
