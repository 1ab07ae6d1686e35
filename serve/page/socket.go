package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/coder/websocket"
)

// socket is the connection of one open page.
type socket struct {
	*page
	conn *websocket.Conn
	end  context.CancelCauseFunc // of the connection, with the reason
	// asked holds a token for each request that is not answered yet.
	asked chan struct{}
	// has is what the page said last that it has: it is ready for what changed since.
	has chan position
}

// closing ends a connection with a reason that the page may show.
type closing struct {
	code   websocket.StatusCode
	reason string
}

func (c closing) Error() string { return c.reason }

// serveSocket talks to a page until it goes away or misbehaves.
func (p *page) serveSocket(w http.ResponseWriter, r *http.Request) {
	select {
	case p.open <- struct{}{}:
		defer func() { <-p.open }()
	default:
		http.Error(w, fmt.Sprintf("%d pages are open already.", mostPages), http.StatusServiceUnavailable)
		return
	}
	conn, err := websocket.Accept(w, r, nil) // answers itself
	if err != nil {
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(mostMessage)
	ctx, end := context.WithCancelCause(r.Context())
	defer end(nil)
	defer context.AfterFunc(p.ctx, func() { end(closing{websocket.StatusGoingAway, "mprof has ended"}) })()
	s := &socket{page: p, conn: conn, end: end, asked: make(chan struct{}, mostAsked), has: make(chan position, 1)}
	go s.read(ctx)
	go s.pushStates(ctx)
	go s.pushUpdates(ctx)
	go s.ping(ctx)
	<-ctx.Done()
	if c, ok := context.Cause(ctx).(closing); ok {
		conn.Close(c.code, c.reason)
	}
}

// read takes the page's messages, and begins what they ask for.
func (s *socket) read(ctx context.Context) {
	for {
		kind, message, err := s.conn.Read(context.WithoutCancel(ctx)) // see send
		if err != nil {
			s.end(err)
			return
		}
		if kind != websocket.MessageText {
			s.end(closing{websocket.StatusUnsupportedData, "messages are JSON in text"})
			return
		}
		r, err := parseRequest(message)
		if err != nil {
			s.end(closing{websocket.StatusPolicyViolation, short(err.Error())})
			return
		}
		s.take(ctx, r)
	}
}

// take answers a request, of those that take a while in a goroutine of its own.
func (s *socket) take(ctx context.Context, r request) {
	if r.Do == "watch" || r.Do == "ack" {
		var at position
		if err := r.with(&at); err != nil {
			s.reply(ctx, r, nil, err)
			return
		}
		select {
		case <-s.has:
		default:
		}
		s.has <- at // this goroutine alone sends
		s.reply(ctx, r, true, nil)
		return
	}
	select {
	case s.asked <- struct{}{}:
	default:
		s.end(closing{websocket.StatusPolicyViolation, fmt.Sprintf("%d requests are not answered yet", mostAsked)})
		return
	}
	go func() {
		defer func() { <-s.asked }()
		ok, err := s.do(ctx, r)
		s.reply(ctx, r, ok, err)
	}()
}

// reply answers a request that wants it.
func (s *socket) reply(ctx context.Context, r request, ok any, err error) {
	if r.ID == 0 {
		return
	}
	a := answer{Re: r.ID, OK: ok}
	if err != nil {
		a.OK, a.Error = nil, s.failure(err)
	}
	s.send(ctx, a)
}

func (p *page) failure(err error) *failure {
	return &failure{Text: err.Error(), Hints: append([]string{}, p.hints(err)...)}
}

// send writes one message. A page that does not read loses its connection, and comes back for
// all when it can.
func (s *socket) send(ctx context.Context, message any) {
	data, err := json.Marshal(message)
	if err != nil {
		s.end(closing{websocket.StatusInternalError, short(err.Error())})
		return
	}
	if ctx.Err() != nil {
		return
	}
	// A write whose context ends closes the connection without a word: when ctx ends, serveSocket says
	// why, and then closes it.
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	if err := s.conn.Write(patience, websocket.MessageText, data); err != nil {
		s.end(err)
	}
}

// short is a reason that fits into a close frame (RFC 6455, 5.5: 125 bytes, two of them the code).
func short(reason string) string {
	const most = 123
	if len(reason) > most {
		return reason[:most-3] + "..."
	}
	return reason
}
