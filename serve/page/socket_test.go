package page_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/serve/page"
	"github.com/mprof/mprof/serve/page/pagetest"
	"github.com/mprof/mprof/session"
)

// patience is how long a test waits for what must come; nothing is judged by it.
const patience = time.Minute

// serveControl serves the page of a session.
func serveControl(t *testing.T, c page.Control) (url string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	handler, err := page.New(ctx, page.Options{Control: c, Hints: func(err error) []string {
		if errors.Is(err, pagetest.ErrUnplugged) || errors.Is(err, pagetest.ErrNoProbe) {
			return []string{"Check its cable."}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() { cancel(); server.CloseClientConnections(); server.Close() })
	return server.URL, cancel
}

// client is an open page.
type client struct {
	t    *testing.T
	conn *websocket.Conn
	id   uint64
	// What was pushed while the test waited for something else.
	states  []map[string]any
	updates []*live.Update
}

func openPage(t *testing.T, url string) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, url+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { conn.CloseNow() })
	return &client{t: t, conn: conn}
}

func (c *client) send(message string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.conn.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
		c.t.Fatalf("send %.80s: %v", message, err)
	}
}

// message is anything that the server sends.
type message struct {
	Re    uint64          `json:"re"`
	OK    json.RawMessage `json:"ok"`
	Error *struct {
		Text  string   `json:"text"`
		Hints []string `json:"hints"`
	} `json:"error"`
	Push   string         `json:"push"`
	State  map[string]any `json:"state"`
	Update *live.Update   `json:"update"`
}

// next reads a message, and keeps what it pushes.
func (c *client) next() (message, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, data, err := c.conn.Read(ctx)
	var m message
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	switch m.Push {
	case "state":
		c.states = append(c.states, m.State)
	case "update":
		c.updates = append(c.updates, m.Update)
	}
	return m, err
}

// ask waits for the answer to a request.
func (c *client) ask(do, with string) message {
	c.t.Helper()
	c.id++
	body, _ := json.Marshal(struct {
		ID   uint64          `json:"id"`
		Do   string          `json:"do"`
		With json.RawMessage `json:"with,omitempty"`
	}{c.id, do, json.RawMessage(with)})
	c.send(string(body))
	for {
		m, err := c.next()
		if err != nil {
			c.t.Fatalf("%s %s: %v", do, with, err)
		}
		if m.Re == c.id {
			return m
		}
	}
}

// must is ask for what works.
func (c *client) must(do, with string) json.RawMessage {
	c.t.Helper()
	m := c.ask(do, with)
	if m.Error != nil || len(m.OK) == 0 {
		c.t.Fatalf("%s %s: %+v", do, with, m)
	}
	return m.OK
}

// until reads on until found.
func (c *client) until(what string, found func() bool) {
	c.t.Helper()
	for !found() {
		if _, err := c.next(); err != nil {
			c.t.Fatalf("%s does not come: %v", what, err)
		}
	}
}

func (c *client) untilPhase(p session.Phase) map[string]any {
	c.t.Helper()
	var state map[string]any
	c.until(string(p), func() bool {
		if len(c.states) > 0 {
			state = c.states[len(c.states)-1]
		}
		return state["phase"] == string(p)
	})
	return state
}

// TestSessionOverSocket drives a session as the page does.
func TestSessionOverSocket(t *testing.T) {
	control := pagetest.New(1)
	url, _ := serveControl(t, control)
	c := openPage(t, url)
	c.untilPhase(session.Idle)

	var choices session.Choices
	if err := json.Unmarshal(c.must("choices", ""), &choices); err != nil || len(choices.Probes) == 0 || len(choices.Ports) == 0 {
		t.Fatalf("%+v, %v", choices, err)
	}
	failed := c.ask("connect", `{"kind":"samples","probe":"broken"}`)
	if failed.Error == nil || failed.Error.Text != pagetest.ErrNoProbe.Error() || len(failed.Error.Hints) != 1 {
		t.Fatalf("%+v", failed)
	}
	if m := c.ask("start", `{"seconds":0}`); m.Error == nil || m.Error.Hints == nil {
		t.Fatalf("a start without a target: %+v", m)
	}
	c.must("connect", `{"kind":"samples","probe":"sim","elf":"demo.elf","rate":1000}`)
	c.untilPhase(session.Ready)
	c.must("watch", `{"run":0,"rev":0}`)
	c.must("start", `{"seconds":0}`)
	c.untilPhase(session.Running)
	c.until("an update with samples", func() bool {
		for _, u := range c.updates {
			if u.Status.Taken > 0 {
				return true
			}
			c.ack(u)
		}
		c.updates = nil
		return false
	})

	var timeline live.Timeline
	if err := json.Unmarshal(c.must("timeline", `{"from":0,"to":0,"pixels":400,"track":-1,"depth":0}`), &timeline); err != nil || len(timeline.Tracks) == 0 {
		t.Fatalf("%+v, %v", timeline, err)
	}
	var lines []live.Line
	if err := json.Unmarshal(c.must("lines", `{"most":5,"function":-1,"context":2}`), &lines); err != nil || len(lines) == 0 {
		t.Fatalf("%+v, %v", lines, err)
	}
	if l := lines[0]; len(l.Source) != 5 || l.First != l.Line-2 {
		t.Errorf("source around line %d: %q from %d", l.Line, l.Source, l.First)
	}
	if m := c.ask("source", `{"file":"/etc/passwd"}`); m.Error == nil {
		t.Errorf("a file that no debug information names: %s", m.OK)
	}
	var source struct{ File, Text string }
	if err := json.Unmarshal(c.must("source", `{"file":"src/main.c"}`), &source); err != nil || !strings.Contains(source.Text, "main") {
		t.Errorf("%+v, %v", source, err)
	}

	control.Unplug()
	state := c.untilPhase(session.Lost)
	if text, _ := json.Marshal(state["error"]); !strings.Contains(string(text), pagetest.ErrUnplugged.Error()) || !strings.Contains(string(text), "Check its cable.") {
		t.Errorf("the error is %s", text)
	}
	if state["collected"] != true {
		t.Error("what was collected is gone")
	}
	c.must("disconnect", "")
	c.untilPhase(session.Idle)
}

func (c *client) ack(u *live.Update) {
	c.t.Helper()
	body, _ := json.Marshal(map[string]any{"do": "ack", "with": map[string]uint64{"run": u.Run, "rev": u.Rev}})
	c.send(string(body))
}

// running is a session that collects.
func running(t *testing.T, kind live.Kind) *pagetest.Control {
	t.Helper()
	control := pagetest.New(1)
	if err := control.Connect(context.Background(), session.Connect{Kind: string(kind)}); err != nil {
		t.Fatal(err)
	}
	if err := control.Start(context.Background(), session.Start{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { control.Disconnect(context.Background()) })
	return control
}

// TestUpdateOnlyAfterAck: a page that does not say that it has an update gets no other, and another
// page does.
func TestUpdateOnlyAfterAck(t *testing.T) {
	url, _ := serveControl(t, running(t, live.Samples))
	silent, diligent := openPage(t, url), openPage(t, url)
	silent.must("watch", `{"run":0,"rev":0}`)
	silent.until("the first update", func() bool { return len(silent.updates) == 1 })
	first := silent.updates[0]

	diligent.must("watch", `{"run":0,"rev":0}`)
	for n := 1; n <= 4; n++ {
		diligent.until("an update", func() bool { return len(diligent.updates) == n })
		u := diligent.updates[n-1]
		if n > 1 {
			before := diligent.updates[n-2]
			if u.Since != before.Rev || u.Rev <= before.Rev || u.Status.Taken <= before.Status.Taken {
				t.Errorf("update %d is since %d, after one to %d", n, u.Since, before.Rev)
			}
		}
		diligent.ack(u)
	}

	silent.must("choices", "") // all that was sent before comes before the answer
	if len(silent.updates) != 1 {
		t.Errorf("%d updates without a word of the page", len(silent.updates))
	}
	silent.ack(first)
	silent.until("the second update", func() bool { return len(silent.updates) == 2 })
	if u := silent.updates[1]; u.Since != first.Rev {
		t.Errorf("since %d, and the page has %d", u.Since, first.Rev)
	}
}

// TestReconnect: a page that comes back says what it has, and gets what is new.
func TestReconnect(t *testing.T) {
	url, _ := serveControl(t, running(t, live.Calls))
	c := openPage(t, url)
	c.must("watch", `{"run":0,"rev":0}`)
	c.until("an update", func() bool { return len(c.updates) == 1 && c.updates[0].Rev > 0 })
	has := c.updates[0]
	c.conn.CloseNow()

	c = openPage(t, url)
	at, _ := json.Marshal(map[string]uint64{"run": has.Run, "rev": has.Rev})
	c.must("watch", string(at))
	c.until("an update", func() bool { return len(c.updates) == 1 })
	if u := c.updates[0]; u.Run != has.Run || u.Since != has.Rev {
		t.Errorf("run %d since %d; the page has run %d, %d", u.Run, u.Since, has.Run, has.Rev)
	}
}

// TestSocketClosed: what is no request ends the connection with the reason.
func TestSocketClosed(t *testing.T) {
	url, _ := serveControl(t, pagetest.New(1))
	for _, c := range []struct {
		name, message string
		kind          websocket.MessageType
		code          websocket.StatusCode
		reason        string
	}{
		{"no JSON", "hello", websocket.MessageText, websocket.StatusPolicyViolation, "invalid character"},
		{"half a message", `{"id":1,"do":"st`, websocket.MessageText, websocket.StatusPolicyViolation, "not complete"},
		{"nothing", "", websocket.MessageText, websocket.StatusPolicyViolation, "not complete"},
		{"two messages", `{"do":"choices"}{"do":"choices"}`, websocket.MessageText, websocket.StatusPolicyViolation, "goes on"},
		{"a member too many", `{"id":1,"do":"choices","as":"root"}`, websocket.MessageText, websocket.StatusPolicyViolation, "unknown field"},
		{"nothing to do", `{"id":1}`, websocket.MessageText, websocket.StatusPolicyViolation, "asks for nothing"},
		{"a negative id", `{"id":-1,"do":"choices"}`, websocket.MessageText, websocket.StatusPolicyViolation, "cannot unmarshal"},
		{"a long reason", `{"` + strings.Repeat("x", 1000) + `":1}`, websocket.MessageText, websocket.StatusPolicyViolation, "..."},
		{"deep", strings.Repeat("[", 20000), websocket.MessageText, websocket.StatusPolicyViolation, ""},
		{"binary", `{"id":1,"do":"choices"}`, websocket.MessageBinary, websocket.StatusUnsupportedData, "text"},
		{"oversized", `{"id":1,"do":"` + strings.Repeat("x", 64<<10) + `"}`, websocket.MessageText, websocket.StatusMessageTooBig, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := openPage(t, url)
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := p.conn.Write(ctx, c.kind, []byte(c.message)); err != nil {
				t.Fatal(err)
			}
			var err error
			for err == nil {
				_, err = p.next()
			}
			var closed websocket.CloseError
			if !errors.As(err, &closed) || closed.Code != c.code || !strings.Contains(closed.Reason, c.reason) {
				t.Errorf("%v; want %v: %s", err, c.code, c.reason)
			}
		})
	}
	// What is a request and asks for nonsense is answered, and the connection lives.
	p := openPage(t, url)
	for _, bad := range [][2]string{{"format c:", ""}, {"watch", ""}, {"ack", `{"run":-1}`}, {"source", `{}`}, {"timeline", `{"pixels":0}`}} {
		if m := p.ask(bad[0], bad[1]); m.Error == nil {
			t.Errorf("%s %s: %s", bad[0], bad[1], m.OK)
		}
	}
	p.must("choices", "")
}

// TestServerEnds: the pages are told.
func TestServerEnds(t *testing.T) {
	url, stop := serveControl(t, pagetest.New(1))
	c := openPage(t, url)
	c.must("choices", "")
	stop()
	var err error
	for err == nil {
		_, err = c.next()
	}
	if websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Error(err)
	}
}

// TestManyPages: 32 are served, one more is told why not, and has its turn when another goes.
func TestManyPages(t *testing.T) {
	url, _ := serveControl(t, running(t, live.Samples))
	var pages []*client
	for range 32 {
		p := openPage(t, url)
		p.must("watch", `{"run":0,"rev":0}`)
		pages = append(pages, p)
	}
	for _, p := range pages {
		p.until("an update", func() bool { return len(p.updates) > 0 })
	}
	_, response, err := websocket.Dial(context.Background(), url+"/ws", nil)
	if err == nil || response == nil || response.StatusCode != http.StatusServiceUnavailable {
		t.Fatalf("page 33: %v", err)
	}
	pages[7].conn.CloseNow()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		conn, _, err := websocket.Dial(context.Background(), url+"/ws", nil)
		if err == nil {
			conn.CloseNow()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// blocked is a session whose Choices take until the page goes.
type blocked struct{ *pagetest.Control }

func (b blocked) Choices(ctx context.Context) session.Choices {
	<-ctx.Done()
	return session.Choices{}
}

// TestTooManyRequests: a page that asks on and on without an answer is cut off.
func TestTooManyRequests(t *testing.T) {
	url, _ := serveControl(t, blocked{pagetest.New(1)})
	c := openPage(t, url)
	for range 17 {
		c.send(`{"id":1,"do":"choices"}`)
	}
	var err error
	for err == nil {
		_, err = c.next()
	}
	if websocket.CloseStatus(err) != websocket.StatusPolicyViolation || !strings.Contains(err.Error(), "16 requests") {
		t.Error(err)
	}
}

// TestPageThatDoesNotRead: it asks and never reads. Its answers are bounded, another page is served,
// and the run goes on.
func TestPageThatDoesNotRead(t *testing.T) {
	control := running(t, live.Samples)
	url, _ := serveControl(t, control)
	stuck := openPage(t, url)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for { // until the server takes no more, or cuts it off
		if stuck.conn.Write(ctx, websocket.MessageText, []byte(`{"id":1,"do":"timeline","with":{"from":0,"to":0,"pixels":16384,"track":-1,"depth":0}}`)) != nil {
			break
		}
	}
	c := openPage(t, url)
	c.must("watch", `{"run":0,"rev":0}`)
	for n := 1; n <= 3; n++ {
		c.until("an update", func() bool { return len(c.updates) == n })
		c.ack(c.updates[n-1])
	}
	if c.updates[2].Status.Taken <= c.updates[0].Status.Taken {
		t.Error("the run stands still")
	}
}

func serveHandler(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}
