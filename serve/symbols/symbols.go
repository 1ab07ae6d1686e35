// Package symbols answers what the Firefox Profiler asks of a symbol server. In: a profile in its format, the program
// that it is of. Out: a handler of /profile.json, /symbolicate/v5, /source/v1 and /asm/v1. It reads no file but sources, and of those
// none that the debug information of the code in question does not name.
//
// Shapes are those of the front-end (firefox-devtools/profiler, mozilla-symbolication-api, fetch-source, fetch-assembly)
// and of samply (API.md); /symbolicate/v5 is Tecken's.
package symbols

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/mprof/mprof/disasm/listing"
	"github.com/mprof/mprof/symbol"
)

// Options are what is served.
type Options struct {
	Profile []byte            // JSON of the Firefox Profiler, compressed by gzip
	Sources map[string]string // that the profile carries, by the names in it
	Program *symbol.Program   // nil: the ELF file is not at hand, and the answers say so
}

// Handler answers them. Where it is reached from, and by whom, is for package serve to say.
func Handler(o Options) http.Handler {
	s := &server{Options: o}
	if o.Program != nil {
		mappings := o.Program.Mappings()
		for i, im := range o.Program.Images() {
			s.modules = append(s.modules, &module{mapping: mappings[i], image: im, lister: listing.New(im)})
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /profile.json", s.profile)
	mux.HandleFunc("POST /symbolicate/v5", answer(s.symbolicate))
	mux.HandleFunc("POST /source/v1", answer(s.source))
	mux.HandleFunc("POST /asm/v1", answer(s.assembly))
	mux.HandleFunc("GET /{$}", s.root)
	return mux
}

type server struct {
	Options
	modules []*module
}

// module is an image, as the front-end knows it: by debug name and debug id.
type module struct {
	mapping symbol.Mapping
	image   *symbol.Image
	lister  *listing.Lister
}

// ErrNoProgram is a profile whose ELF file is not at hand.
var ErrNoProgram = errors.New("mprof has the profile only, and not its ELF file: name that with --elf")

// module finds one by what a request says of it. Names and ids that are "" are not asked for, but one of the ids must be
// there and right.
func (s *server) module(debugName, debugID, codeID string) (*module, error) {
	if len(s.modules) == 0 {
		return nil, ErrNoProgram
	}
	for _, m := range s.modules {
		switch {
		case debugID == "" && codeID == "":
		case debugName != "" && debugName != m.mapping.Name:
		case debugID != "" && !strings.EqualFold(debugID, m.mapping.DebugID()):
		case codeID != "" && debugID == "" && !strings.EqualFold(codeID, fmt.Sprintf("%x", m.mapping.BuildID)):
		default:
			return m, nil
		}
	}
	var have []string
	for _, m := range s.modules {
		have = append(have, m.mapping.Name+"/"+m.mapping.DebugID())
	}
	return nil, fmt.Errorf("%s is no ELF file that mprof has open: it has %s", debugName+"/"+debugID, strings.Join(have, ", "))
}

// address is a module's offset on the target; false where it is beyond what has addresses.
func (m *module) address(offset uint64) (uint32, bool) {
	addr := uint64(m.mapping.LoadBase) + offset
	return uint32(addr), addr < 1<<32 && offset < 1<<32
}

// hex is a number as "0x1f". The front-end sends it so.
type hex uint64

func (h *hex) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("%.40s is no number such as \"0x1f\"", text)
	}
	digits, prefixed := strings.CutPrefix(s, "0x")
	v, err := strconv.ParseUint(digits, 16, 32)
	if !prefixed || err != nil {
		return fmt.Errorf("%.40q is no number such as \"0x1f\", of at most 32 bits", s)
	}
	*h = hex(v)
	return nil
}

func (h hex) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"0x%x"`, uint64(h)), nil }

// malformed is a request that has not the shape that it must have.
type malformed struct{ error }

// answer makes a handler of a function from a request's body to what is sent as JSON. As from samply, an error is
// {"error": sentence} with status 200, because the front-end reads no other; a malformed request, which it never
// sends, has status 400.
func answer(f func(body []byte) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusOK
		body, err := io.ReadAll(r.Body)
		var out any
		if err == nil {
			out, err = f(body)
		}
		var large *http.MaxBytesError
		var bad malformed
		switch {
		case errors.As(err, &large):
			status, err = http.StatusRequestEntityTooLarge, fmt.Errorf("the request has more than %d bytes", large.Limit)
		case errors.As(err, &bad):
			status = http.StatusBadRequest
		}
		if err != nil {
			out = map[string]string{"error": err.Error()}
		}
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(out); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write(text.Bytes())
	}
}

// decode reads a request: one JSON value, of which members that nobody here knows are passed over.
func decode(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return malformed{fmt.Errorf("the request is malformed: %s", strings.TrimPrefix(err.Error(), "json: "))}
	}
	return nil
}

// profile sends the profile: compressed to those who take it so, as every browser does.
func (s *server) profile(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Add("Vary", "Accept-Encoding")
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Length", strconv.Itoa(len(s.Profile)))
		_, _ = w.Write(s.Profile)
		return
	}
	z, err := gzip.NewReader(bytes.NewReader(s.Profile))
	if err != nil {
		http.Error(w, fmt.Sprintf("The profile: %v", err), http.StatusInternalServerError)
		return
	}
	_, _ = io.Copy(w, z)
}

// acceptsGzip reads Accept-Encoding (RFC 9110, 12.5.3).
func acceptsGzip(header string) bool {
	for _, part := range strings.Split(header, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name = strings.TrimSpace(name); name != "gzip" && name != "*" {
			continue
		}
		value, isQ := strings.CutPrefix(strings.ReplaceAll(quality, " ", ""), "q=")
		q, err := strconv.ParseFloat(value, 64)
		return !isQ || err != nil || q > 0
	}
	return false
}

// root says what this is to a person who opens the address.
func (s *server) root(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "mprof serves a profile and its symbols to the Firefox Profiler from here. The address to open is the one that mprof view printed.")
}
