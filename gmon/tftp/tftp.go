// Package tftp fetches a file from a target that serves it by TFTP (RFC 1350), as eCos does with its
// gmon.out. In: a URL. Out: the bytes of the file. It is the only user of github.com/pin/tftp.
package tftp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	pin "github.com/pin/tftp/v3"
)

const (
	scheme      = "tftp"
	defaultPort = "69"
	defaultFile = "gmon.out"
	// MaxSize bounds a file: no target has more.
	MaxSize = 64 << 20
)

// ErrUnreachable is a host that does not answer.
var ErrUnreachable = errors.New("no answer")

// Source is a file on a target.
type Source struct {
	address, file string
	// Timeout is how long to wait for a packet, Retries how often it is asked for again.
	Timeout time.Duration
	Retries int
}

// Parse reads tftp://HOST[:PORT][/FILE]; the port is 69 and the file gmon.out unless it says otherwise.
func Parse(text string) (*Source, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != scheme || u.Hostname() == "" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("%q: write it as tftp://HOST[:PORT]/gmon.out", text)
	}
	s := &Source{net.JoinHostPort(u.Hostname(), defaultPort), strings.TrimPrefix(u.Path, "/"), time.Second, 5}
	if u.Port() != "" {
		s.address = net.JoinHostPort(u.Hostname(), u.Port())
	}
	if s.file == "" {
		s.file = defaultFile
	}
	return s, nil
}

func (s *Source) String() string { return fmt.Sprintf("tftp://%s/%s", s.address, s.file) }

// Fetch gets the file, in binary. Errors: ErrUnreachable, what the server says, a file above MaxSize, that
// of ctx.
func (s *Source) Fetch(ctx context.Context) ([]byte, error) {
	type result struct {
		bytes []byte
		err   error
	}
	done := make(chan result, 1)
	go func() { // ends with the library's timeouts, also where nobody waits any more
		b, err := s.fetch(ctx)
		done <- result{b, err}
	}()
	select {
	case r := <-done:
		return r.bytes, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *Source) fetch(ctx context.Context) ([]byte, error) {
	client, err := pin.NewClient(s.address)
	if err != nil {
		return nil, fmt.Errorf("tftp: %s: %w", s, err)
	}
	client.SetTimeout(s.Timeout)
	client.SetRetries(s.Retries)
	client.SetBackoff(func(int) time.Duration { return 0 })
	from, err := client.Receive(s.file, "octet")
	if err != nil {
		return nil, s.failed(err, 0)
	}
	file := &limited{ctx: ctx}
	if _, err := from.WriteTo(file); err != nil {
		return nil, s.failed(err, file.Len())
	}
	return file.Bytes(), nil
}

// failed says how far a transfer came.
func (s *Source) failed(err error, n int) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		err = ErrUnreachable
	}
	if n > 0 {
		return fmt.Errorf("tftp: %s: after %d bytes: %w", s, n, err)
	}
	return fmt.Errorf("tftp: %s: %w", s, err)
}

// limited takes at most MaxSize bytes.
type limited struct {
	bytes.Buffer
	ctx context.Context
}

func (l *limited) Write(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	if l.Len()+len(p) > MaxSize {
		return 0, fmt.Errorf("the file has more than %d MiB", MaxSize>>20)
	}
	return l.Buffer.Write(p)
}
