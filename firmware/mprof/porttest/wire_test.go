package porttest

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/mprof/mprof/trace"
)

// listener is what a run said.
type listener struct {
	enough  func()
	want    int
	records []trace.Record
	next    uint32 // number of the next record
	jumps   int
	losses  []trace.Loss
	status  trace.Status
	meta    trace.Metadata
}

func (l *listener) Records(b trace.Batch) {
	if !b.Numbered || b.Number != l.next {
		l.jumps++
	}
	l.next = b.Number + uint32(len(b.Records))
	l.records = append(l.records, b.Records...)
	if len(l.records) >= l.want {
		l.enough()
	}
}

func (l *listener) Metadata(m trace.Metadata) { l.meta = m }
func (l *listener) Status(s trace.Status)     { l.status = s }
func (l *listener) Answer(byte, byte)         {}

// Loss takes what was lost of the run. The port is closed as soon as a status says
// that all is out, maybe in the middle of another answer.
func (l *listener) Loss(g trace.Loss) {
	if over := l.status.Known >= trace.KnownWaiting && !l.status.Running && l.status.Waiting == 0; !over || g.Kind != trace.LostBytes {
		l.losses = append(l.losses, g)
	}
}

// converse traces the firmware behind a port until it has sent that many
// records, twice: START and STOP work again and again.
func converse(t *testing.T, path string, port io.ReadWriteCloser, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	id := buildID(t, path)
	session, err := trace.Open(ctx, port, trace.SessionOptions{Port: "the board", BuildID: id, Patience: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	run, enough := context.WithCancel(ctx)
	defer enough()
	l := &listener{enough: enough, want: want}
	if err := session.Run(run, l); err != nil {
		t.Fatal(err)
	}
	if err := ctx.Err(); err != nil {
		t.Fatalf("%d of %d records: %v", len(l.records), want, err)
	}
	if m, ok := session.Metadata(); !ok || m.Name != "ports" || m.Version != 2 {
		t.Errorf("metadata %+v", m)
	}
	if err := l.verdict(path); err != nil {
		t.Error(err)
	}
	t.Logf("%d records, high water %d bytes", len(l.records), l.status.HighWater)
}

// verdict: every record is there, in the order of return, and each branch has
// its two leaves in it, the second longer than the first but where interrupts
// that send came into the first.
func (l *listener) verdict(path string) error {
	var wrong []error
	if l.jumps > 0 || len(l.losses) > 0 {
		wrong = append(wrong, fmt.Errorf("numbers jump %d times; losses %+v", l.jumps, l.losses))
	}
	if l.status.Known < trace.KnownWaiting || l.status.Waiting != 0 || l.status.Dropped != 0 || int(l.status.Sent) != len(l.records) {
		wrong = append(wrong, fmt.Errorf("%d records came, and the status is %+v", len(l.records), l.status))
	}
	leaf, branch, err := functions(path)
	if err != nil {
		return err
	}
	skip := 0
	for skip < len(l.records) && skip < 3 && l.records[skip].Func != branch {
		skip++ // of the branch in which START came
	}
	if l.records = l.records[min(skip+1, len(l.records)):]; len(l.records) < 6 {
		return fmt.Errorf("%d records are too few", len(l.records))
	}
	shorter := 0
	for i, r := range l.records {
		first, second := l.records[max(i-2, 0)], l.records[max(i-1, 0)]
		switch {
		case i%3 < 2 && (r.Func != leaf || r.Depth != 1) || i%3 == 2 && (r.Func != branch || r.Depth != 0) || r.Context != 0:
			wrong = append(wrong, fmt.Errorf("record %d is %+v; leaf is at %08x, branch at %08x", i, r, leaf, branch))
		case i%3 != 2:
		case r.Duration <= first.Duration+second.Duration || first.Entry-r.Entry > r.Duration || r.Exit()-second.Exit() > r.Duration:
			wrong = append(wrong, fmt.Errorf("record %d: leaves %+v and %+v in branch %+v", i, first, second, r))
		}
		if len(wrong) > 5 {
			break
		}
		if i%3 == 2 && second.Duration <= first.Duration {
			shorter++
		}
	}
	if shorter > len(l.records)/3/10 {
		wrong = append(wrong, fmt.Errorf("of %d second leaves %d are not longer than the first", len(l.records)/3, shorter))
	}
	return errors.Join(wrong...)
}

func functions(path string) (leaf, branch uint32, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		return 0, 0, err
	}
	for _, s := range list {
		switch s.Name {
		case "leaf":
			leaf = uint32(s.Value) &^ 1
		case "branch":
			branch = uint32(s.Value) &^ 1
		}
	}
	if leaf == 0 || branch == 0 {
		return 0, 0, fmt.Errorf("%s has no leaf or no branch", path)
	}
	return leaf, branch, nil
}

func buildID(t *testing.T, path string) []byte {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	note, err := f.Section(".note.gnu.build-id").Data()
	if err != nil || len(note) < 20 {
		t.Fatal(note, err)
	}
	return note[16:]
}
