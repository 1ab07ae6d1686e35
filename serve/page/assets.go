package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed dist
var dist embed.FS

// asset is a file of the page.
type asset struct {
	content []byte
	kind    string // media type
	tag     string // strong: of the content
}

// assets are the page's files by their paths; "/" is index.html.
type assets map[string]asset

// kinds of files, by extension: not what the machine's tables happen to say.
var kinds = map[string]string{
	".html":  "text/html; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".json":  "application/json",
	".map":   "application/json",
	".svg":   "image/svg+xml",
	".png":   "image/png",
	".woff2": "font/woff2",
	".txt":   "text/plain; charset=utf-8",
	".md":    "text/plain; charset=utf-8",
}

// newAssets reads all files at once. Only they are served, whatever a path says.
func newAssets(from fs.FS) (assets, error) {
	if from == nil {
		from, _ = fs.Sub(dist, "dist")
	}
	a := assets{}
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		kind, ok := kinds[path.Ext(name)]
		if !ok {
			kind = mime.TypeByExtension(path.Ext(name))
		}
		if kind == "" {
			kind = "application/octet-stream"
		}
		sum := sha256.Sum256(content)
		a["/"+name] = asset{content, kind, `"` + hex.EncodeToString(sum[:16]) + `"`}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("page: read its files: %w", err)
	}
	index, ok := a["/index.html"]
	if !ok {
		return nil, fmt.Errorf("page: its files have no index.html")
	}
	a["/"] = index
	return a, nil
}

// ServeHTTP answers with a file. The browser keeps it and asks each time whether it is still the same.
func (a assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, ok := a[r.URL.Path]
	if !ok {
		http.Error(w, fmt.Sprintf("The page has no file %q.", strings.TrimPrefix(r.URL.Path, "/")), http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", file.kind)
	h.Set("ETag", file.tag)
	h.Set("Cache-Control", "private, no-cache")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.content))
}
