package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestSessionCampaign: firmware of several kinds behind links that are late, stall and lose, reset now
// and then, left running by another session whose answers are still on their way. Whatever happens, what
// a run says is true. The time is not real. MPROF_SESSIONS says how many (80), MPROF_SESSION which one.
func TestSessionCampaign(t *testing.T) {
	first, n := uint64(0), uint64(80)
	if testing.Short() {
		n = 20
	}
	if s, err := strconv.ParseUint(os.Getenv("MPROF_SESSIONS"), 10, 64); err == nil {
		n = s
	}
	if s, err := strconv.ParseUint(os.Getenv("MPROF_SESSION"), 10, 64); err == nil {
		first, n = s, 1
	}
	for seed := first; seed < first+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCampaign(t, seed)
				c.run()
				c.judge()
				if t.Failed() {
					t.Logf("down %v; up %v; remarks %q", c.down, c.up, c.remarks)
					t.Logf("firmware: newest %d, slow %v, no ACK %v, strict %v, quiet %v; left by another %v; resets %d at %s; version %d, %v",
						c.fw.newest, c.fw.slow, c.fw.noACK, c.fw.strict, c.fw.quiet, c.fw.left != nil, c.resets, commandNames[c.resetAt], c.o.Version, c.lasts)
				}
			})
		})
	}
}

// campaign is one run of it.
type campaign struct {
	*testing.T
	traced
	fw       *target
	down, up *rough // to the target, to the host
	o        SessionOptions
	lasts    time.Duration
	resets   int
	resetAt  byte // the command behind which it is reset

	made   map[[3]uint32]bool // records of the target
	starts []int              // that were obeyed, in each life of the target
	mu     sync.Mutex         // of what the port sees
	seen   heard              // by the port
	before map[byte]int       // answers that came before the command whose answer is awaited
	ended  time.Duration      // how long that took
}

func newCampaign(t *testing.T, seed uint64) *campaign {
	r := rand.New(rand.NewPCG(seed, 77))
	c := &campaign{T: t, made: map[[3]uint32]bool{}, starts: []int{0}, before: map[byte]int{}}
	c.fw = &target{meta: ourMetadata(), newest: 2, rate: 1 + r.IntN(6), room: 8 + r.IntN(200), random: rand.New(rand.NewPCG(seed, 78)), wait: 3 * time.Millisecond}
	c.o = SessionOptions{Patience: 3 * time.Second, Baud: 921600, Version: 1 + min(r.IntN(4), 1), BuildID: c.fw.meta.BuildID}
	c.down, c.up = roughly(rand.New(rand.NewPCG(seed, 5)), c.o.Patience), roughly(rand.New(rand.NewPCG(seed, 6)), c.o.Patience)
	c.up.stalls /= 20 // it has so many more writes
	switch r.IntN(12) {
	case 0, 1:
		c.fw.newest, c.fw.meta.Known, c.fw.strict = 1, KnownName, r.IntN(2) == 0
	case 2:
		c.fw.noACK = true
	case 3:
		c.fw.slow = true
	}
	c.fw.recorded = func(r Record) { c.made[[3]uint32{r.Func, r.Entry, r.Duration}] = true }
	c.fw.obeys = func(command byte) int {
		if command == CommandStart {
			c.starts[len(c.starts)-1]++
		}
		return 0
	}
	if r.IntN(3) == 0 {
		c.fail(1+r.IntN(2), byte(1+r.IntN(5)), r)
	}
	if r.IntN(3) == 0 {
		c.another(r)
	}
	c.lasts = time.Duration(r.Int64N(int64(5 * c.o.Patience)))
	return c
}

// fail resets the target so often behind a command.
func (c *campaign) fail(times int, command byte, r *rand.Rand) {
	c.resets, c.resetAt, c.fw.quiet = times, command, r.IntN(2) == 0
	left, share := times, 0.1+0.9*r.Float64()
	c.fw.fails = func(command byte) bool {
		if command != c.resetAt || left == 0 || r.Float64() >= share {
			return false
		}
		left--
		c.starts = append(c.starts, 0)
		return true
	}
}

// another session was killed: the target runs, and what it said is still on its way.
func (c *campaign) another(r *rand.Rand) {
	version, running, sent := min(1+r.IntN(2), c.fw.newest), r.IntN(2) == 0, r.Uint32N(10_000)
	c.fw.left = func() {
		c.fw.version, c.fw.running, c.fw.sent = version, running, sent
		c.fw.encoder()
	}
	var b bytes.Buffer
	e := NewEncoder(&b, EncoderOptions{Version: version, MaxPayload: 128})
	m := c.fw.meta
	m.Version = version
	for range r.IntN(12) {
		switch r.IntN(5) {
		case 0:
			m.Flags = byte(r.IntN(2) * FlagStarted)
			_ = e.Metadata(m)
		case 1, 2:
			_ = e.Answer(byte(CommandStart+r.IntN(4)), 0)
		case 3:
			_ = e.Status(Status{Running: r.IntN(2) == 0, Sent: r.Uint32N(1000), Waiting: r.Uint32N(2), Known: c.fw.statuses})
		case 4:
			_ = e.Record(Record{Func: 0x08000200, Entry: 77, Duration: 7})
		}
	}
	_ = e.Flush()
	if b.Len() > 0 {
		c.up.queue <- arrival{time.Now(), b.Bytes()}
	}
}

// came counts what has come to a command.
func (c *campaign) came(command byte) (n int) {
	if command == CommandGetMetadata {
		for _, m := range c.seen.metadata {
			n += 1 - int(m.Flags/FlagStarted)
		}
	}
	for _, a := range c.seen.answers {
		if a[0] == command {
			n++
		}
	}
	return n
}

func (c *campaign) run() {
	c.target = c.fw.boot(&roughEnd{in: c.down, out: c.up})
	defer c.fw.end()
	runs, ends := false, false
	locked := func(do func([]byte) (int, error)) func([]byte) {
		return func(b []byte) {
			c.mu.Lock()
			defer c.mu.Unlock()
			_, _ = do(b)
		}
	}
	ears := NewDecoder(&c.seen, DecoderOptions{Variant: &Variant{}})
	commands := NewCommandDecoder(Variant{}, func(command byte, _ []byte) {
		runs = runs || command == CommandReset
		if _, ok := c.before[command]; !ok && runs && (ends || command != CommandStop) {
			c.before[command] = c.came(command)
		}
	})
	port := &roughEnd{in: c.up, out: c.down, reads: locked(ears.Write), sends: locked(commands.Write)}
	c.o.Record, c.o.Remark = &c.recording, c.remark
	if c.session, c.err = Open(c.Context(), port, c.o); c.err != nil {
		return
	}
	defer c.session.Close()
	ctx, cancel := context.WithTimeout(c.Context(), c.lasts)
	defer cancel()
	end := time.Now().Add(c.lasts)
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock()
		ends = true
		c.mu.Unlock()
	})()
	c.err = c.session.Run(ctx, c)
	c.ended = time.Since(end)
}

// remark judges one when it is made.
func (c *campaign) remark(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remarks = append(c.remarks, text)
	for command, name := range commandNames {
		if strings.Contains(text, "did not answer "+name) && !strings.Contains(text, "after it was reset") {
			if n := c.came(command) - c.before[command]; n > 0 {
				c.Errorf("%q, but %d answers came", text, n)
			}
		}
	}
	if strings.Contains(text, "says nothing of itself") && len(c.seen.metadata) > 0 {
		c.Errorf("%q, but METADATA came", text)
	}
	if strings.Contains(text, "by itself") && c.resets == 0 {
		c.Errorf("%q, but it did not", text)
	}
}

// Metadata: a target that was reset counts from 0.
func (c *campaign) Metadata(m Metadata) {
	if m.Flags&FlagStarted != 0 {
		c.calls, c.lost, c.dropped = 0, 0, 0
	}
	c.traced.Metadata(m)
}

func (c *campaign) judge() {
	if c.err != nil {
		damage := c.up.loses + c.up.thins + c.up.doubles + c.down.loses + c.down.thins + c.down.doubles
		if c.session != nil && !errors.Is(c.err, context.DeadlineExceeded) || damage == 0 {
			c.Error(c.err)
		}
		return
	}
	if c.ended > 20*c.o.Patience {
		c.Errorf("it ended after %v", c.ended)
	}
	if c.fw.running && !c.said("may still run") {
		c.Errorf("the target still runs; remarks %q", c.remarks)
	}
	had := map[[3]uint32]bool{}
	for _, r := range c.records {
		k := [3]uint32{r.Func, r.Entry, r.Duration}
		if !c.made[k] || had[k] {
			c.Errorf("%+v never happened, or not twice", r)
			break
		}
		had[k] = true
	}
	for life, n := range c.starts {
		if n > 1+min(life, 1) { // one may have been on its way when it was reset, and asks for the wrong version
			c.Errorf("%d STARTs in life %d", n, life)
		}
	}
	if n := len(c.batches); n > 0 {
		// One that was reset twice may have begun with version 1 when the run ended.
		if version := c.batches[n-1].Version; version != min(c.o.Version, c.fw.newest) && !c.said("reset at the end") {
			c.Errorf("records of version %d", version)
		}
		c.judgeSums()
	}
	var again heardRun
	if err := Replay(c.Context(), bytes.NewReader(c.recording.Bytes()), &again, ReplayOptions{BuildID: c.o.BuildID}); err != nil && c.recording.Len() > 0 {
		c.Error(err)
	}
	if c.fw.noACK { // a recording whose METADATA got lost, too, does not say where its counts began
		again.losses = c.losses
	}
	if !slices.Equal(again.records, c.records) || !slices.Equal(again.losses, c.losses) ||
		fmt.Sprint(again.metadata, again.status, again.answers) != fmt.Sprint(c.metadata, c.status, c.answers) {
		c.Errorf("the recording has %d records and %d losses, the run %d and %d", len(again.records), len(again.losses), len(c.records), len(c.losses))
	}
}

// judgeSums compares with what the target counted, if it was not reset behind that.
func (c *campaign) judgeSums() {
	sent, dropped, _ := c.fw.truth()
	if c.said("missing") || c.said("did not answer START") || (c.fw.quiet || sent == 0) && (c.resetAt == CommandStop || c.resetAt == CommandStatus) {
		return
	}
	want, got := sent, c.calls+c.lost
	if c.batches[len(c.batches)-1].Version == 2 {
		want, got = sent+dropped, got+c.dropped
	}
	if uint64(want) != got {
		c.Errorf("%d records, %d lost, %d dropped; the target sent %d and dropped %d; remarks %q", c.calls, c.lost, c.dropped, sent, dropped, c.remarks)
	}
}
