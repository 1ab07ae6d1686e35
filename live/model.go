package live

import (
	"sync"
	"time"

	"github.com/mprof/mprof/profile"
)

// Model is what a run has seen so far. The run writes through the builder that the
// model watches (WatchSamples, WatchCalls), and never waits for a reader for longer than
// that takes to copy what changed. Readers are Since, Timeline, Lines and Revision; any number of
// them, from any goroutine.
type Model struct {
	mu      sync.Mutex
	reading sync.Mutex // one reader at a time competes with the run
	run     *run
	files   files
}

// Setup is what is known of a run before it starts.
type Setup struct {
	// Source reads a source file by the name that debug information gives; nil: none.
	Source func(file string) (string, bool)
}

// feed is the builder behind a run: it is asked where something changed when somebody
// looks. Its methods are called locked.
type feed interface {
	survey(r *run)
	missing() (profile.Event, bool) // what is missed right now: its Duration counts until now
}

// NewModel knows of no run; nor does the zero Model.
func NewModel() *Model { return &Model{} }

// current is the run, which is none at first.
func (m *Model) current() *run {
	if m.run == nil {
		m.run = newRun(firstNumber(), "", nil)
	}
	return m.run
}

// firstNumber is one that a page does not take for that of another process.
func firstNumber() uint64 { return uint64(time.Now().UnixMilli()) }

// begin forgets everything.
func (m *Model) begin(k Kind, s Setup, f feed) *run {
	m.mu.Lock()
	defer m.mu.Unlock()
	number := firstNumber()
	if m.run != nil {
		number = max(number, m.run.number+1)
	}
	m.run = newRun(number, k, f)
	m.files.reset(s.Source)
	return m.run
}

// Forget forgets everything, and watches nobody any more.
func (m *Model) Forget() { m.begin("", Setup{}, nil) }

// Revision is the number of the run, and that of its latest change.
func (m *Model) Revision() (run, rev uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.current()
	if r.told > 0 && r.rate() == 0 {
		r.touch() // silence is news, once
	}
	return r.number, r.latest()
}

// Elapsed says that the run has lasted so long, though nothing may have come.
func (m *Model) Elapsed(d time.Duration) {
	m.write(func(r *run) {
		if d > r.elapsed {
			r.elapsed = d
			r.touch()
		}
	})
}

// Bytes says how many bytes of a stream came.
func (m *Model) Bytes(n uint64) {
	m.write(func(r *run) {
		if n != r.status.Bytes {
			r.status.Bytes = n
			r.touch()
		}
	})
}

// Remark adds a sentence for the user.
func (m *Model) Remark(text string) {
	m.write(func(r *run) { r.remark(text) })
}

// Finish says what is in the profile that the run has become and the model cannot know before:
// its duration, remarks, and exact percentiles of the halts. The builder has been finished
// before.
func (m *Model) Finish(p *profile.Profile) {
	m.write(func(r *run) { r.finish(p) })
}

func (m *Model) write(f func(r *run)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(m.current())
}

// Since returns what changed since a revision of a run, all of it where the reader has
// another run, or what changed cannot be told in parts: Update.Since is 0 then, and what the
// reader had is to be replaced.
func (m *Model) Since(run, rev uint64) *Update {
	m.reading.Lock()
	defer m.reading.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.current()
	r.look()
	if run != r.number || rev < r.whole || rev > r.rev {
		rev = 0
	}
	return r.since(rev)
}
