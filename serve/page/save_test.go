package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/serve/page"
	"github.com/mprof/mprof/serve/page/pagetest"
	"github.com/mprof/mprof/session"
)

func get(t *testing.T, url string, header ...string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

// finished is a session with a profile that does not change any more, and a recording.
type finished struct {
	*pagetest.Control
	profile   *profile.Profile
	recording string
}

func (f finished) Profile(context.Context) (*profile.Profile, error) { return f.profile, nil }

func (f finished) State() session.State {
	s := f.Control.State()
	s.Recording = f.recording
	return s
}

// TestSave: a file of each format has the bytes that export writes.
func TestSave(t *testing.T) {
	control := running(t, live.Samples)
	var p *profile.Profile
	for p == nil || p.Samples() == 0 {
		p, _ = control.Profile(context.Background()) // an error before there is something
	}
	recording := filepath.Join(t.TempDir(), "samples.mprof")
	if err := os.WriteFile(recording, []byte("what was recorded"), 0o600); err != nil {
		t.Fatal(err)
	}
	url, _ := serveControl(t, finished{control, p, recording})

	_, list := get(t, url+"/formats")
	var formats []struct{ Name, Ext string }
	if err := json.Unmarshal(list, &formats); err != nil || len(formats) != len(export.Formats) {
		t.Fatalf("%s: %v", list, err)
	}
	for i, f := range export.Formats {
		if formats[i].Ext != f.Ext || formats[i].Name != f.Name {
			t.Errorf("format %d is %v", i, formats[i])
		}
		var want bytes.Buffer
		failed := f.Write(&want, p)
		response, body := get(t, url+"/save?format="+f.Ext)
		if failed != nil {
			if response.StatusCode != http.StatusConflict || !strings.Contains(string(body), `"error"`) {
				t.Errorf("%s cannot be written (%v), and the answer is %s: %s", f.Ext, failed, response.Status, body)
			}
			continue
		}
		if response.StatusCode != http.StatusOK || !bytes.Equal(body, want.Bytes()) {
			t.Errorf("%s: %s, %d bytes; want %d", f.Ext, response.Status, len(body), want.Len())
		}
		kind, names, err := mime.ParseMediaType(response.Header.Get("Content-Disposition"))
		if err != nil || kind != "attachment" || names["filename"] != "mprof-profile"+f.Ext {
			t.Errorf("%s: %s %v, %v", f.Ext, kind, names, err)
		}
	}
	if response, body := get(t, url+"/save?format=recording"); string(body) != "what was recorded" || !strings.Contains(response.Header.Get("Content-Disposition"), `"samples.mprof"`) {
		t.Errorf("the recording: %s %q", response.Status, body)
	}
	for _, bad := range []string{"", ".exe", "../../etc/passwd", "%00"} {
		if response, body := get(t, url+"/save?format="+bad); response.StatusCode != http.StatusNotFound {
			t.Errorf("format %q: %s %s", bad, response.Status, body)
		}
	}
}

// TestSaveNothing: before anything was collected there is a sentence, not an empty file.
func TestSaveNothing(t *testing.T) {
	url, _ := serveControl(t, pagetest.New(1))
	for _, format := range []string{".json.gz", "recording"} {
		response, body := get(t, url+"/save?format="+format)
		var m message
		if err := json.Unmarshal(body, &m); err != nil || response.StatusCode != http.StatusConflict || m.Error == nil || m.Error.Text == "" {
			t.Errorf("%s: %s %s", format, response.Status, body)
		}
	}
}

// TestAssets: the page's files and nothing else; a browser that has them is told so.
func TestAssets(t *testing.T) {
	handler, err := page.New(context.Background(), page.Options{Control: pagetest.New(1), Assets: fstest.MapFS{
		"index.html": {Data: []byte("<!doctype html>")}, "a/page.js": {Data: []byte("1")}, "b/page.js": {Data: []byte("2")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	url := serveHandler(t, handler)
	response, body := get(t, url+"/")
	tag := response.Header.Get("ETag")
	if string(body) != "<!doctype html>" || !strings.HasPrefix(tag, `"`) || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%s %v", body, response.Header)
	}
	if response, _ := get(t, url+"/", "If-None-Match", tag); response.StatusCode != http.StatusNotModified {
		t.Errorf("the same again: %s", response.Status)
	}
	a, _ := get(t, url+"/a/page.js")
	b, _ := get(t, url+"/b/page.js")
	if a.Header.Get("ETag") == b.Header.Get("ETag") || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/javascript") {
		t.Errorf("%v, %v", a.Header, b.Header)
	}
	for _, bad := range []string{"/a", "/a/", "/page.js", "/dist/index.html", "/page.go", "/..", "/a/../../page.go"} {
		if response, body := get(t, url+bad); response.StatusCode == http.StatusOK {
			t.Errorf("%s: %s", bad, body)
		}
	}
	if _, err := page.New(context.Background(), page.Options{Control: pagetest.New(1), Assets: fstest.MapFS{}}); err == nil {
		t.Error("a page without files")
	}
}

// forbidden is what the policy of the guard does not let a page do, or what it would ask others for.
var forbidden = regexp.MustCompile(`(?i)<script(\s[^>]*)?>[^<]|<style|\sstyle=|\son[a-z]+=|(src|href)="(https?:)?//|="javascript:`)

// TestBuiltInPageKeepsThePolicy: no script and no style in its HTML, and nothing of other machines.
func TestBuiltInPageKeepsThePolicy(t *testing.T) {
	url, _ := serveControl(t, pagetest.New(1))
	response, html := get(t, url+"/")
	if response.StatusCode != http.StatusOK || !strings.Contains(string(html), "<script") {
		t.Fatalf("%s: %s", response.Status, html)
	}
	if found := forbidden.Find(html); found != nil {
		t.Errorf("the page has %q", found)
	}
	files := regexp.MustCompile(`(?:src|href)="([^"#:]+)"`).FindAllStringSubmatch(string(html), -1)
	if len(files) < 2 {
		t.Errorf("it is made of %v", files)
	}
	for _, f := range files {
		response, body := get(t, url+"/"+f[1])
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", f[1], response.Status)
		}
		if strings.HasSuffix(f[1], ".css") && regexp.MustCompile(`url\(\s*['"]?(https?:)?//|@import`).Match(body) {
			t.Errorf("%s asks others", f[1])
		}
	}
}
