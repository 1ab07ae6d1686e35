package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress draws one line on a terminal while a run goes on: time, samples,
// rate reached, share of time stolen, stacks cut; or calls. Elsewhere it is silent.
type progress struct {
	bar   *progressbar.ProgressBar
	total time.Duration // 0: until Ctrl-C
	next  time.Time     // of the next redraw, on the host's clock
}

const redraw = 100 * time.Millisecond

func newProgress(w io.Writer, show bool, total time.Duration) *progress {
	if !show {
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

// update says how sampling goes.
func (p *progress) update(at time.Duration, taken uint64, halted time.Duration, cut uint64) {
	p.draw(at.Milliseconds(), func() string { return progressText(at, taken, halted, cut) })
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

func progressText(at time.Duration, taken uint64, halted time.Duration, cut uint64) string {
	rate, stolen := 0.0, 0.0
	if at > 0 {
		rate = float64(taken) / at.Seconds()
		stolen = 100 * float64(halted) / float64(at)
	}
	return fmt.Sprintf("%6.1f s  %d samples  %.0f/s  %.2f %% stolen  %d cut", at.Seconds(), taken, rate, stolen, cut)
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
