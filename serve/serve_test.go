package serve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"
)

// TestSlowClients: who does not end a header or a body is hung up on.
func TestSlowClients(t *testing.T) {
	s, err := Listen(Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.patience = patience{50 * time.Millisecond, 100 * time.Millisecond, 50 * time.Millisecond}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	read := make(chan error, 1)
	go s.Serve(ctx, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		read <- err
	}))
	for name, begin := range map[string]string{
		"half a header": "GET /" + s.secret + "/ HTTP/1.1\r\nHost: loc",
		"half a body":   "POST /" + s.secret + "/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf",
		"nothing":       "",
	} {
		c, err := net.Dial("tcp", s.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(time.Minute))
		io.WriteString(c, begin)
		if _, err := io.ReadAll(c); errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
			t.Errorf("%s: still connected after a minute", name)
		}
		c.Close()
		if strings.HasPrefix(begin, "POST") {
			if err := <-read; err == nil {
				t.Errorf("%s was taken for a whole one", name)
			}
		}
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// TestServeEnds: what is being answered when the end comes has a moment, and is told.
func TestServeEnds(t *testing.T) {
	s, err := Listen(Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	asked, said := make(chan struct{}), make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- s.Serve(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(asked)
			<-r.Context().Done()
			io.WriteString(w, "interrupted")
		}))
	}()
	go func() {
		response, err := http.Get(s.URL())
		if err != nil {
			said <- err.Error()
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		said <- string(body)
	}()
	<-asked
	stop()
	if got := <-said; got != "interrupted" {
		t.Errorf("answered %q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", s.listener.Addr().String()); err == nil {
		t.Error("the port is still open")
	}
}

// TestPortInUse: a sentence with the address and the cause, once.
func TestPortInUse(t *testing.T) {
	s, err := Listen(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	address := s.listener.Addr().String()
	_, err = Listen(Options{Address: address})
	if err == nil || strings.Count(err.Error(), address) != 1 || !strings.Contains(err.Error(), "in use") {
		t.Errorf("%v", err)
	}
}

// TestNoDisplay: a shell on another machine has no browser to open.
func TestNoDisplay(t *testing.T) {
	env := func(set string) func(string) string {
		return func(name string) string {
			if name == set {
				return "x"
			}
			return ""
		}
	}
	for _, c := range []struct {
		system, set string
		want        bool
	}{{"linux", "", false}, {"linux", "DISPLAY", true}, {"linux", "WAYLAND_DISPLAY", true}, {"freebsd", "", false}, {"windows", "", true}, {"darwin", "", true}} {
		if got := hasDisplay(c.system, env(c.set)); got != c.want {
			t.Errorf("%s with %q: %v", c.system, c.set, got)
		}
	}
}

// FuzzGuard: a request that passes is under the secret, for a name of this machine, and of no other page.
func FuzzGuard(f *testing.F) {
	const secret = "0123456789abcdef0123456789abcdef"
	for _, seed := range []string{
		"GET /" + secret + "/a HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
		"GET /" + secret + "/%2e%2e/a HTTP/1.1\r\nHost: [::1]\r\nOrigin: http://[::1]\r\n\r\n",
		"OPTIONS /" + secret + "/ HTTP/1.1\r\nHost: 127.1\r\nOrigin: " + friend + "\r\nSec-Fetch-Site: cross-site\r\n\r\n",
		"GET http://evil.example/" + secret + "/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET //" + secret + "//.. HTTP/1.0\r\n\r\n",
	} {
		f.Add(seed)
	}
	g := guard{secret: secret, origins: []string{friend}, maxBody: 100}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
		if err != nil || g.check(r) != nil {
			return
		}
		if p := g.inside(r).URL.Path; !strings.HasPrefix(p, "/") || !strings.HasPrefix(path.Clean(secret+p), secret) || strings.Contains(p, "..") && path.Clean(p) != strings.TrimSuffix(p, "/") && p != "/" {
			t.Errorf("%q passes", p)
		}
		u, err := url.Parse("http://" + r.Host)
		if err != nil {
			t.Fatalf("Host %q passes: %v", r.Host, err)
		}
		if name := u.Hostname(); !strings.EqualFold(name, "localhost") && !net.ParseIP(name).IsLoopback() {
			t.Errorf("Host %q passes", r.Host)
		}
		if o := r.Header.Get("Origin"); o != "" && o != friend && !strings.EqualFold(o, "http://"+r.Host) {
			t.Errorf("Origin %q passes to %q", o, r.Host)
		}
	})
}
