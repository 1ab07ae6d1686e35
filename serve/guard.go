package serve

import (
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
)

// guard decides which requests reach a handler.
type guard struct {
	secret     string
	origins    []string // of other pages that may ask
	anyAddress bool
	maxBody    int64
}

// refusal is an answer of the guard: a status, and why in a sentence.
type refusal struct {
	status int
	why    string
}

// around is the handler behind the guard.
func (g guard) around(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		if no := g.check(r); no != nil {
			if no.status == http.StatusMethodNotAllowed {
				w.Header().Set("Allow", "GET, HEAD, POST")
			}
			w.Header().Set("Connection", "close")
			http.Error(w, no.why, no.status)
			return
		}
		if origin := r.Header.Get("Origin"); slices.Contains(g.origins, origin) {
			g.allow(w, r, origin)
			if r.Method == http.MethodOptions {
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, g.maxBody)
		handler.ServeHTTP(w, g.inside(r))
	})
}

// check is nil for a request that may pass.
func (g guard) check(r *http.Request) *refusal {
	if !g.ours(r.Host) {
		return &refusal{http.StatusForbidden, fmt.Sprintf("Host %q is not this machine.", r.Host)}
	}
	if !g.under(r.URL.Path) {
		return &refusal{http.StatusNotFound, "Nothing is here: the address that mprof printed is longer."}
	}
	if no := g.checkOrigin(r); no != nil {
		return no
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	case http.MethodOptions:
		if !slices.Contains(g.origins, r.Header.Get("Origin")) {
			return &refusal{http.StatusMethodNotAllowed, "OPTIONS is answered to other pages that may ask."}
		}
	default:
		return &refusal{http.StatusMethodNotAllowed, r.Method + " is not answered here."}
	}
	if r.ContentLength > g.maxBody {
		return &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("The body has %d bytes, at most %d are read.", r.ContentLength, g.maxBody)}
	}
	return nil
}

// ours tells whether a Host header names this machine. A number always does: it is what the
// connection was made to. A name may have been made to point here by its owner; those of
// this machine cannot. The port is that of a tunnel where one is between (ssh -L).
func (g guard) ours(host string) bool {
	u, err := url.Parse("http://" + host)
	if err != nil || u.Host != host || u.User != nil {
		return false
	}
	name := u.Hostname()
	if strings.EqualFold(name, "localhost") {
		return true
	}
	if address, err := netip.ParseAddr(name); err == nil {
		return address.IsLoopback() || g.anyAddress
	}
	if g.anyAddress {
		machine, err := os.Hostname()
		return err == nil && (strings.EqualFold(name, machine) || strings.EqualFold(name, machine+".local"))
	}
	return false
}

// under tells whether a path is the secret one or below it, without detours. How long the comparison
// takes says nothing of the secret.
func (g guard) under(p string) bool {
	first, _, deeper := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	same := subtle.ConstantTimeCompare([]byte(first), []byte(g.secret)) == 1
	return same && deeper && strings.TrimSuffix(p, "/") == path.Clean(p) && !strings.ContainsAny(p, "\\\x00")
}

// checkOrigin refuses what another page made the browser ask (fetch.spec.whatwg.org, 3.2;
// w3c.github.io/webappsec-fetch-metadata, 2.3). A browser says Origin in each
// request that is not a plain GET of the same page, and Sec-Fetch-Site in all; other programs
// say neither, and need the secret.
func (g guard) checkOrigin(r *http.Request) *refusal {
	values := r.Header.Values("Origin")
	if len(values) > 1 {
		return &refusal{http.StatusBadRequest, "There is more than one Origin."}
	}
	if len(values) == 1 {
		if slices.Contains(g.origins, values[0]) {
			return nil
		}
		if !strings.EqualFold(values[0], "http://"+r.Host) {
			return &refusal{http.StatusForbidden, fmt.Sprintf("Pages of %q may not ask here.", values[0])}
		}
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin", "none":
		return nil
	default:
		return &refusal{http.StatusForbidden, "Another page asked for this. To go there, open the address that mprof printed by hand."}
	}
}

// allow tells the browser that another page may ask and read: the CORS protocol (fetch.spec.whatwg.org,
// 3.3), and that of pages of public addresses that ask a local one (wicg.github.io/private-network-access).
func (g guard) allow(w http.ResponseWriter, r *http.Request, origin string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if r.Method != http.MethodOptions {
		return
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
	h.Set("Access-Control-Allow-Headers", "Content-Type, User-Agent") // the Firefox Profiler says who it is
	h.Set("Access-Control-Max-Age", "600")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
}

// inside is the request as the handler sees it, without the secret.
func (g guard) inside(r *http.Request) *http.Request {
	in := new(http.Request)
	*in = *r
	in.URL = new(url.URL)
	*in.URL = *r.URL
	in.URL.Path = strings.TrimPrefix(r.URL.Path, "/"+g.secret)
	in.URL.RawPath = strings.TrimPrefix(r.URL.RawPath, "/"+g.secret)
	return in
}

// setHeaders sets what holds for each answer: only our own files are run and asked for, nobody frames
// the page, the address with its secret is told to nobody, and nothing stays in a cache.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// checkOrigins refuses what no browser would ever say in an Origin header.
func checkOrigins(origins []string) ([]string, error) {
	for _, o := range origins {
		u, err := url.Parse(o)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || o != u.Scheme+"://"+strings.ToLower(u.Host) {
			return nil, fmt.Errorf("serve: %q is no origin, such as https://profiler.firefox.com", o)
		}
	}
	return slices.Clone(origins), nil
}
