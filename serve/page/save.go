package page

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/serve"
)

// formats lists what the page can save.
func (p *page) formats(w http.ResponseWriter, _ *http.Request) {
	type format struct {
		Name string `json:"name"`
		Ext  string `json:"ext"`
	}
	var all []format
	for _, f := range export.Formats {
		all = append(all, format{f.Name, f.Ext})
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(all)
}

// save answers with a file of what was collected until now. A few are made at a time: each may take as
// much memory as the run.
func (p *page) save(w http.ResponseWriter, r *http.Request) {
	serve.KeepWriting(w) // making it takes its time
	select {
	case p.saving <- struct{}{}:
		defer func() { <-p.saving }()
	case <-r.Context().Done():
		return
	}
	ext := r.URL.Query().Get("format")
	if ext == "recording" {
		p.saveRecording(w)
		return
	}
	for _, f := range export.Formats {
		if f.Ext == ext {
			p.saveProfile(w, r, f)
			return
		}
	}
	p.refuse(w, http.StatusNotFound, fmt.Errorf("page: there is no format %q", ext))
}

// saveProfile writes the profile into a file first: what cannot be written is an answer that
// says so, not half a file.
func (p *page) saveProfile(w http.ResponseWriter, r *http.Request, f export.Format) {
	profile, err := p.control.Profile(r.Context())
	if err != nil {
		p.refuse(w, http.StatusConflict, err)
		return
	}
	file, err := os.CreateTemp("", "mprof-save-*")
	if err != nil {
		p.refuse(w, http.StatusInternalServerError, fmt.Errorf("page: %w", err))
		return
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if err := f.Write(file, profile); err != nil {
		p.refuse(w, http.StatusConflict, err)
		return
	}
	attach(w, file, "mprof-profile"+f.Ext)
}

// saveRecording copies the recording as far as it is written.
func (p *page) saveRecording(w http.ResponseWriter) {
	name := p.control.State().Recording
	if name == "" {
		p.refuse(w, http.StatusConflict, fmt.Errorf("page: there is no recording"))
		return
	}
	file, err := os.Open(name)
	if err != nil {
		p.refuse(w, http.StatusInternalServerError, fmt.Errorf("page: %w", err))
		return
	}
	defer file.Close()
	attach(w, file, filepath.Base(name))
}

// attach sends a file, as far as it goes now, to be saved under a name.
func attach(w http.ResponseWriter, file *os.File, name string) {
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", "attachment; filename="+strconv.QuoteToASCII(name))
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	io.CopyN(serve.KeepWriting(w), file, size)
}

// refuse answers with an error as a reply of the socket has it.
func (p *page) refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]*failure{"error": p.failure(err)})
}
