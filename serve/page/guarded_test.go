package page_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/serve"
	"github.com/mprof/mprof/serve/page"
)

// TestBehindTheGuard: the page with its socket and its files is there for the user's own browser, and
// for no other page.
func TestBehindTheGuard(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	handler, err := page.New(ctx, page.Options{Control: running(t, live.Samples)})
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.Listen(serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, handler) }()
	url := strings.TrimSuffix(server.URL(), "/")
	origin := url[:strings.LastIndex(url, "/")]

	for _, c := range []struct {
		name, url string
		header    http.Header
		want      int
	}{
		{"our own page", url, http.Header{"Origin": {origin}, "Sec-Fetch-Site": {"same-origin"}}, http.StatusSwitchingProtocols},
		{"a program", url, nil, http.StatusSwitchingProtocols},
		{"another page", url, http.Header{"Origin": {"https://evil.example"}}, http.StatusForbidden},
		{"another port", url, http.Header{"Origin": {"http://127.0.0.1:1"}}, http.StatusForbidden},
		{"a sandboxed page", url, http.Header{"Origin": {"null"}}, http.StatusForbidden},
		{"without the secret", origin, nil, http.StatusNotFound},
	} {
		conn, response, err := websocket.Dial(ctx, c.url+"/ws", &websocket.DialOptions{HTTPHeader: c.header})
		if response == nil || response.StatusCode != c.want {
			t.Errorf("%s: %v, %v; want %d", c.name, response, err, c.want)
		}
		if err == nil {
			conn.CloseNow()
		}
	}
	for _, path := range []string{"/", "/formats", "/save?format=.folded"} {
		if response, body := get(t, url+path, "Sec-Fetch-Site", "cross-site"); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s for another page: %s %.80s", path, response.Status, body)
		}
	}

	// The end of the server is told to the pages, and waits for them.
	c := openPage(t, url)
	c.must("choices", "")
	stop()
	for err == nil {
		_, err = c.next()
	}
	if websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
