package live

import (
	"slices"
	"time"

	"github.com/mprof/mprof/profile"
)

// run is what a model knows of one run. Everything has the revision at which it changed
// last: that of the next look at it.
type run struct {
	number uint64
	kind   Kind
	feed   feed // nil: it is over, or was none
	rev    uint64
	whole  uint64 // readers of a revision before this one need everything
	dirty  bool   // something changed since rev
	unseen bool   // and since the latest survey

	functions functions
	nodes     nodes
	counts    counts
	table     table
	events    events
	timeline  *timeline
	detail    func(from, to time.Duration) ([]span, bool) // a short window as it was, of any age; nil: there is none
	tracks    []string
	pace      pace
	lines     []profile.Frame // of the table of frames; see lines.go
	selfs     []uint64        // by frame: samples that end there

	told    float64 // the rate that a reader got last
	elapsed time.Duration
	origin  time.Duration // when it began, on the clock of the timeline and of events
	status  Status        // but for what is computed when somebody looks
	remarks []string
	looked  time.Time // when it was surveyed
	took    time.Duration
}

func newRun(number uint64, k Kind, f feed) *run {
	return &run{number: number, kind: k, feed: f, rev: 1, nodes: newNodes(), counts: newCounts(), timeline: newTimeline()}
}

// touch notes a change; what changed has the revision that it returns.
func (r *run) touch() uint64 {
	r.dirty, r.unseen = true, true
	return r.rev + 1
}

// latest is the revision that a reader would get.
func (r *run) latest() uint64 {
	if (r.dirty || r.unseen) && r.due(time.Now()) {
		return r.rev + 1
	}
	return r.rev
}

// due tells whether readers may have a survey again.
func (r *run) due(now time.Time) bool {
	return r.feed == nil || now.Sub(r.looked) >= min(surveyShare*r.took, longestRest)
}

// replaced notes a change of what readers have been told and cannot be told in parts.
func (r *run) replaced() { r.whole = r.touch() }

// Surveys take no more than a 20th of the time, unless one takes so long that readers would
// have to wait for more than half a second.
const (
	surveyShare = 20
	longestRest = 500 * time.Millisecond
)

// look brings everything up to date that is computed only when somebody looks. A survey that
// takes long is not repeated soon: Revision says that there is nothing new until then, and who looks all
// the same gets what the one before found.
func (r *run) look() {
	if now := time.Now(); r.unseen && r.due(now) {
		if r.feed != nil {
			r.feed.survey(r)
		}
		r.looked = time.Now()
		r.took = r.looked.Sub(now)
		r.unseen = false
	}
	if r.dirty {
		r.rev, r.dirty = r.rev+1, false
	}
}

// remark adds a sentence.
func (r *run) remark(text string) {
	if text != "" && len(r.remarks) < mostRemarks && !slices.Contains(r.remarks, text) {
		r.remarks = append(r.remarks, text)
		r.touch()
	}
}

const mostRemarks = 200

// rate is per second, lately.
func (r *run) rate() float64 { return r.pace.rate(r.feed != nil) }

// since is everything that changed after a revision.
func (r *run) since(rev uint64) *Update {
	u := &Update{Run: r.number, Since: rev, Rev: r.rev, Kind: r.kind, Tracks: slices.Clone(r.tracks)}
	if u.Tracks == nil {
		u.Tracks = []string{}
	}
	u.Functions = r.functions.since(rev)
	u.Nodes = r.nodes.since(rev)
	u.Counts = r.counts.since(rev)
	u.Table = r.table.since(rev)
	u.Events = r.events.since(rev, r.origin)
	u.Status = r.status
	u.Status.Elapsed = r.elapsed.Seconds()
	r.told = r.rate()
	u.Status.Rate = r.told
	u.Status.Remarks = append(append([]string{}, r.status.Remarks...), r.remarks...)
	if text := r.events.remark(); text != "" {
		u.Status.Remarks = append(u.Status.Remarks, text)
	}
	u.Status.Contexts = append([]Share{}, r.status.Contexts...)
	return u
}

// finish takes what only the profile knows. Its remarks hold those of the builder.
func (r *run) finish(p *profile.Profile) {
	r.elapsed = max(r.elapsed, p.Duration)
	if p.Trace == nil && p.Duration > 0 {
		r.status.StolenShare = p.HaltedShare()
		r.status.HaltedP50, r.status.HaltedP99 = p.Taken.HaltedP50.Seconds(), p.Taken.HaltedP99.Seconds()
		r.status.Asked = p.Taken.Asked
	}
	r.status.Remarks = nil
	r.remarks = r.remarks[:0]
	for _, text := range p.Taken.Remarks {
		r.remark(text)
	}
	r.touch()
}
