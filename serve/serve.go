// Package serve answers HTTP requests of the browser of one user, and of nobody else. In: a
// handler, and who else may ask. Out: its answers under a secret path of the loopback
// interface; everything else is refused before the handler sees it.
//
// What is refused, and why:
//
//   - a Host that does not name this machine: a page elsewhere whose name was made to point
//     here (DNS rebinding);
//   - an Origin or Sec-Fetch-Site of another page, unless Options.Origins has it: any page that
//     the user looks at can send requests to this machine;
//   - a path outside of the secret one: other users and programs of this machine;
//   - methods but GET, HEAD and POST, bodies and headers above their limits, clients that
//     are too slow to send them.
package serve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// Limits of what a client may send, and for how long it may take over it.
const (
	MaxHeader   = 32 << 10        // bytes of a request's header
	MaxBody     = 4 << 20         // bytes of a body, where Options do not say otherwise
	writeTime   = 2 * time.Minute // of an answer; see KeepWriting
	goodbyeTime = 3 * time.Second
)

// patience is how long a client may take; tests have less.
type patience struct{ header, request, idle time.Duration }

var usual = patience{header: 10 * time.Second, request: time.Minute, idle: 2 * time.Minute}

// NotLoopbackError is an address that other machines could reach.
type NotLoopbackError struct{ Address string }

func (e *NotLoopbackError) Error() string {
	return fmt.Sprintf("serve: %s can be reached from other machines", e.Address)
}

// Options say where to listen and who may ask.
type Options struct {
	Address string   // host:port; "" is 127.0.0.1 and any free port
	Origins []string // other pages that may ask, such as https://profiler.firefox.com
	// AnyAddress: Address may be one that other machines reach. The path stays secret, but
	// it crosses the network unencrypted.
	AnyAddress bool
	MaxBody    int64 // bytes; 0 is MaxBody
}

// Server is a listener behind its guard.
type Server struct {
	listener net.Listener
	secret   string
	guard    guard
	patience patience
}

// Listen opens the port. Nothing is answered before Serve.
func Listen(o Options) (*Server, error) {
	address := o.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	tcp, err := resolve(address, o.AnyAddress)
	if err != nil {
		return nil, err
	}
	origins, err := checkOrigins(o.Origins)
	if err != nil {
		return nil, err
	}
	listener, err := net.ListenTCP("tcp", tcp)
	if err != nil {
		return nil, fmt.Errorf("serve: listen on %s: %w", address, plain(err))
	}
	var random [16]byte
	rand.Read(random[:])
	s := &Server{listener: listener, secret: hex.EncodeToString(random[:]), patience: usual}
	s.guard = guard{secret: s.secret, origins: origins, anyAddress: o.AnyAddress, maxBody: o.MaxBody}
	if s.guard.maxBody == 0 {
		s.guard.maxBody = MaxBody
	}
	return s, nil
}

// resolve finds the address to listen on: by number, so that what is checked is what is opened.
func resolve(address string, any bool) (*net.TCPAddr, error) {
	if !strings.Contains(address, ":") {
		address += ":0"
	}
	tcp, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve: %q is no address to listen on: %w", address, plain(err))
	}
	if !tcp.IP.IsLoopback() && !any {
		return nil, &NotLoopbackError{address}
	}
	return tcp, nil
}

// plain is what is wrong, without the operation and the address that the sentence has already.
func plain(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// URL is the address of the handler's root, with the secret; it ends in a slash.
func (s *Server) URL() string {
	address := s.listener.Addr().(*net.TCPAddr).AddrPort()
	host := address.Addr().Unmap()
	if host.IsUnspecified() {
		host = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return "http://" + netip.AddrPortFrom(host, address.Port()).String() + "/" + s.secret + "/"
}

// Serve answers until ctx ends; what is being answered then may take a moment longer. The handler sees
// paths without the secret, and may replace the headers that the guard sets.
func (s *Server) Serve(ctx context.Context, handler http.Handler) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var answering sync.WaitGroup // sockets too, which Shutdown does not know
	guarded := s.guard.around(handler)
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answering.Add(1)
			defer answering.Done()
			guarded.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: s.patience.header,
		ReadTimeout:       s.patience.request,
		WriteTimeout:      writeTime,
		IdleTimeout:       s.patience.idle,
		MaxHeaderBytes:    MaxHeader,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          log.New(io.Discard, "", 0), // of clients that hang up, or send nonsense
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", plain(err))
	case <-ctx.Done():
	}
	goodbye, stop := context.WithTimeout(context.WithoutCancel(ctx), goodbyeTime)
	defer stop()
	time.AfterFunc(goodbyeTime/2, cancel)
	if server.Shutdown(goodbye) != nil {
		server.Close()
	}
	all := make(chan struct{})
	go func() { answering.Wait(); close(all) }()
	select {
	case <-all:
	case <-goodbye.Done():
	}
	return nil
}

// Close gives the port back, of a server that does not Serve.
func (s *Server) Close() error { return s.listener.Close() }

// KeepWriting is w without the limit for a whole answer: each Write may take as long as
// an answer otherwise. It is for files of any size.
func KeepWriting(w http.ResponseWriter) io.Writer {
	c := http.NewResponseController(w)
	c.SetWriteDeadline(time.Time{})
	return &patientWriter{w, c}
}

type patientWriter struct {
	to io.Writer
	c  *http.ResponseController
}

func (p *patientWriter) Write(b []byte) (int, error) {
	p.c.SetWriteDeadline(time.Now().Add(writeTime))
	return p.to.Write(b)
}
