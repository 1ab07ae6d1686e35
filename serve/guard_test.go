package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

const friend = "https://profiler.firefox.com"

// serveEcho serves a handler that says what it sees, and returns the server.
func serveEcho(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- s.Serve(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
				return
			}
			fmt.Fprintf(w, "%s %s %d", r.Method, r.URL.Path, len(body))
		}))
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s
}

// port is what a server listens on, with another host.
func (s *Server) at(host string) string {
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	return net.JoinHostPort(host, port)
}

// exchange sends bytes as they are, and reads an answer.
func exchange(t *testing.T, s *Server, request string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	go io.WriteString(c, request) // a refusal may come before all of it is read
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%.80q: %v", request, err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return response, string(body)
}

// TestRefusals sends what the guard is there for. SECRET and HOST stand for the right ones.
func TestRefusals(t *testing.T) {
	s := serveEcho(t, Options{Origins: []string{friend}, MaxBody: 1000})
	host := s.at("127.0.0.1")
	for _, c := range []struct {
		name, line, header string
		want               int
	}{
		{"as it should be", "GET /SECRET/a", "Host: HOST", 200},
		{"localhost", "GET /SECRET/a", "Host: localhost:1", 200},
		{"another loopback address", "GET /SECRET/a", "Host: [::1]:8080", 200},
		{"our own Origin", "POST /SECRET/a", "Host: HOST\r\nOrigin: http://HOST\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 0", 200},
		{"typed in", "GET /SECRET/a", "Host: HOST\r\nSec-Fetch-Site: none", 200},
		{"a page that may", "GET /SECRET/a", "Host: HOST\r\nOrigin: " + friend + "\r\nSec-Fetch-Site: cross-site", 200},
		{"its preflight", "OPTIONS /SECRET/a", "Host: HOST\r\nOrigin: " + friend + "\r\nAccess-Control-Request-Method: POST", 204},

		{"a foreign Host", "GET /SECRET/a", "Host: evil.example", 403},
		{"a foreign Host with our port", "GET /SECRET/a", "Host: " + s.at("evil.example"), 403},
		{"a Host that begins as ours", "GET /SECRET/a", "Host: localhost.evil.example", 403},
		{"a Host that begins as our address", "GET /SECRET/a", "Host: 127.0.0.1.evil.example", 403},
		{"the Host of another machine", "GET /SECRET/a", "Host: 192.168.1.2", 403},
		{"a Host of nobody", "GET /SECRET/a", "Host: 0.0.0.0", 403},
		{"an empty Host", "GET /SECRET/a", "Host: ", 403},
		{"a Host with a word for a port", "GET /SECRET/a", "Host: localhost:evil", 403},
		{"half an address", "GET /SECRET/a", "Host: [::1", 403},
		{"a Host with a user", "GET /SECRET/a", "Host: evil@localhost", 400},
		{"a target elsewhere", "GET http://evil.example/SECRET/a", "Host: HOST", 403},

		{"a foreign Origin", "GET /SECRET/a", "Host: HOST\r\nOrigin: https://evil.example", 403},
		{"no Origin", "GET /SECRET/a", "Host: HOST\r\nOrigin: null", 403},
		{"an empty Origin", "GET /SECRET/a", "Host: HOST\r\nOrigin: ", 403},
		{"the Origin of another port", "GET /SECRET/a", "Host: HOST\r\nOrigin: http://127.0.0.1:1", 403},
		{"our Origin, by https", "GET /SECRET/a", "Host: HOST\r\nOrigin: https://HOST", 403},
		{"an Origin that begins as a friend", "GET /SECRET/a", "Host: HOST\r\nOrigin: " + friend + ".evil.example", 403},
		{"a friend without its scheme", "GET /SECRET/a", "Host: HOST\r\nOrigin: http://profiler.firefox.com", 403},
		{"two Origins", "GET /SECRET/a", "Host: HOST\r\nOrigin: " + friend + "\r\nOrigin: https://evil.example", 400},
		{"an image of another page", "GET /SECRET/a", "Host: HOST\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors", 403},
		{"another port of this machine", "GET /SECRET/a", "Host: HOST\r\nSec-Fetch-Site: same-site", 403},
		{"a foreign preflight", "OPTIONS /SECRET/a", "Host: HOST\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST", 403},
		{"a foreign socket", "GET /SECRET/ws", "Host: HOST\r\nOrigin: https://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", 403},

		{"no secret", "GET /", "Host: HOST", 404},
		{"a wrong secret", "GET /00000000000000000000000000000000/", "Host: HOST", 404},
		{"the beginning of the secret", "GET /SECRET-", "Host: HOST", 404},
		{"the secret and no more", "GET /SECRET", "Host: HOST", 404},
		{"the secret further down", "GET /a/SECRET/", "Host: HOST", 404},
		{"a way out", "GET /SECRET/../", "Host: HOST", 404},
		{"a way out and in", "GET /SECRET/../SECRET/a", "Host: HOST", 404},
		{"a hidden way out", "GET /SECRET/%2e%2e/%2e%2e/etc/passwd", "Host: HOST", 404},
		{"a hidden slash", "GET /SECRET/%2fetc/passwd", "Host: HOST", 404},
		{"a backslash", "GET /SECRET/..%5c..%5cetc", "Host: HOST", 404},
		{"a NUL", "GET /SECRET/a%00", "Host: HOST", 404},
		{"a favicon", "GET /favicon.ico", "Host: HOST", 404},

		{"PUT", "PUT /SECRET/a", "Host: HOST\r\nContent-Length: 0", 405},
		{"DELETE", "DELETE /SECRET/a", "Host: HOST", 405},
		{"TRACE", "TRACE /SECRET/a", "Host: HOST", 405},
		{"CONNECT", "CONNECT /SECRET/a", "Host: HOST", 405},
		{"an invented method", "MPROF /SECRET/a", "Host: HOST", 405},
		{"OPTIONS of nobody", "OPTIONS /SECRET/a", "Host: HOST", 405},

		{"a long body", "POST /SECRET/a", "Host: HOST\r\nContent-Length: 1001", 413},
		{"a header without an end", "GET /SECRET/a", "Host: HOST\r\nX: " + strings.Repeat("x", MaxHeader+8192), 431},
		{"a long target", "GET /SECRET/" + strings.Repeat("x", MaxHeader+8192), "Host: HOST", 431},
		{"two Hosts", "GET /SECRET/a", "Host: HOST\r\nHost: evil.example", 400},
		{"no HTTP", "hello", "", 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			fill := strings.NewReplacer("SECRET", s.secret, "HOST", host).Replace
			response, body := exchange(t, s, fill(c.line+" HTTP/1.1\r\n"+c.header+"\r\n\r\n"))
			if response.StatusCode != c.want {
				t.Fatalf("answered %s: %s; want %d", response.Status, body, c.want)
			}
			if c.want >= 400 && strings.Contains(body, s.secret) {
				t.Errorf("a refusal tells the secret: %s", body)
			}
			if c.want == 200 && !strings.HasSuffix(body, " /a 0") {
				t.Errorf("the handler saw %q", body)
			}
		})
	}
}

// TestBodyWithoutLength: a body whose length nobody says is cut off at the limit.
func TestBodyWithoutLength(t *testing.T) {
	s := serveEcho(t, Options{MaxBody: 1000})
	for size, want := range map[int]int{1000: 200, 1001: 413} {
		response, body := exchange(t, s, fmt.Sprintf("POST /%s/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", s.secret, size, strings.Repeat("x", size)))
		if response.StatusCode != want {
			t.Errorf("%d bytes: answered %s: %s", size, response.Status, body)
		}
	}
}

// TestHeaders: each answer, refusals too, says what a browser may do with it.
func TestHeaders(t *testing.T) {
	s := serveEcho(t, Options{})
	for _, path := range []string{"/" + s.secret + "/", "/"} {
		response, _ := exchange(t, s, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
		h := response.Header
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "script-src 'self'", "base-uri 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy %q lacks %s", path, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Access-Control-Allow-Origin": ""} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

// TestFriend: a page that may ask may read the answer, from a public address too.
func TestFriend(t *testing.T) {
	s := serveEcho(t, Options{Origins: []string{friend}})
	response, _ := exchange(t, s, "OPTIONS /"+s.secret+"/a HTTP/1.1\r\nHost: localhost\r\nOrigin: "+friend+"\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\nAccess-Control-Request-Private-Network: true\r\n\r\n")
	for name, want := range map[string]string{"Access-Control-Allow-Origin": friend, "Access-Control-Allow-Private-Network": "true", "Access-Control-Allow-Headers": "Content-Type, User-Agent", "Access-Control-Allow-Methods": "GET, HEAD, POST", "Vary": "Origin"} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("preflight: %s is %q, want %q", name, got, want)
		}
	}
	response, _ = exchange(t, s, "POST /"+s.secret+"/a HTTP/1.1\r\nHost: localhost\r\nOrigin: "+friend+"\r\nContent-Length: 0\r\n\r\n")
	if got := response.Header.Get("Access-Control-Allow-Origin"); got != friend {
		t.Errorf("Access-Control-Allow-Origin is %q", got)
	}
}

// TestListenOnLoopbackOnly: other addresses take a word of the user.
func TestListenOnLoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80"} {
		s, err := Listen(Options{Address: address})
		var foreign *NotLoopbackError
		if !errors.As(err, &foreign) {
			t.Errorf("%s: %v", address, err)
		}
		if err == nil {
			s.Close()
		}
	}
	for _, address := range []string{"", "localhost", "localhost:0", "127.0.0.1:0"} {
		s, err := Listen(Options{Address: address})
		if err != nil {
			t.Errorf("%q: %v", address, err)
			continue
		}
		if !s.listener.Addr().(*net.TCPAddr).IP.IsLoopback() || len(s.secret) != 32 {
			t.Errorf("%q: listens on %s", address, s.URL())
		}
		s.Close()
	}
	if _, err := Listen(Options{Address: "127.0.0.1:nonsense"}); err == nil {
		t.Error("a port that is a word")
	}
	if _, err := Listen(Options{Origins: []string{friend + "/"}}); err == nil {
		t.Error("an origin with a path")
	}
}

// TestAnyAddress: with the user's word, names and addresses of this machine are answered, and no
// others.
func TestAnyAddress(t *testing.T) {
	s := serveEcho(t, Options{Address: "127.0.0.1:0", AnyAddress: true})
	for host, want := range map[string]int{"192.168.1.2:99": 200, "[fe80::1]": 200, "evil.example": 403} {
		response, _ := exchange(t, s, "GET /"+s.secret+"/a HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
		if response.StatusCode != want {
			t.Errorf("%s: answered %s", host, response.Status)
		}
	}
}

// TestSecretsDiffer: 128 bits, each time others.
func TestSecretsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 50 {
		s, err := Listen(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(s.URL(), "/"+s.secret+"/") || seen[s.secret] {
			t.Fatalf("%s", s.URL())
		}
		seen[s.secret] = true
		s.Close()
	}
}
