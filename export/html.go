package export

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/serve/page/flame"
)

// maxDrawn bounds the nodes of a flame graph in a file.
const maxDrawn = 100_000

// htmlGraph is what serve/page/flame draws.
type htmlGraph struct {
	Title  string      `json:"title"`
	Unit   string      `json:"unit"` // "samples" or "ns"
	Roots  []*htmlNode `json:"roots"`
	Facts  [][2]string `json:"facts"`
	Spread float64     `json:"spread,omitempty"`
}

type htmlNode struct {
	Name     string           `json:"n"`
	Self     int64            `json:"s"`
	Category profile.Category `json:"k,omitempty"`
	Inlined  bool             `json:"i,omitempty"`
	Callees  []*htmlNode      `json:"c,omitempty"`
}

// htmlStart calls the script of the flame graph.
const htmlStart = `mprofFlame(document.getElementById("graph"), JSON.parse(document.getElementById("data").textContent))`

// WriteHTML writes a page with the flame graph and the facts of the run, which needs no other
// file and no network: search, zoom, inverted. Without scripts it shows the summary.
func WriteHTML(w io.Writer, p *profile.Profile) error {
	if err := p.Check(); err != nil {
		return err
	}
	tree := newCallTree(p)
	tree.prune(maxDrawn)
	graph := htmlGraph{Title: graphTitle(p), Unit: "samples", Roots: newHTMLNode(tree).Callees, Facts: graphFacts(p), Spread: spread(p)}
	if p.Trace != nil {
		graph.Unit = "ns"
	}
	data, err := json.Marshal(&graph) // with < as \u003c, so that nothing closes the element
	if err != nil {
		return err
	}
	policy := fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src %s %s", sourceHash(flame.Script), sourceHash(htmlStart))
	summary := html.EscapeString(newSummary(p, SummaryOptions{}).out.String())
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, htmlHead, html.EscapeString(strings.TrimSpace("mprof "+p.Taken.Version)), html.EscapeString(policy), html.EscapeString(graph.Title), flame.Style)
	if tree.total == 0 { // nothing to draw
		fmt.Fprintf(b, "<main><pre>%s</pre></main>\n", summary)
	} else {
		fmt.Fprintf(b, htmlBody, summary, data, flame.Script, htmlStart)
	}
	fmt.Fprint(b, "</body>\n</html>\n")
	return b.Flush()
}

const (
	htmlHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="%s">
<meta http-equiv="Content-Security-Policy" content="%s">
<title>%s</title>
<style>%s</style>
</head>
<body>
`
	htmlBody = `<main id="graph"></main>
<noscript><pre>%s</pre></noscript>
<script type="application/json" id="data">%s</script>
<script>%s</script>
<script>%s</script>
`
)

func newHTMLNode(n *callNode) *htmlNode {
	out := &htmlNode{Name: n.name, Self: n.self, Category: n.category, Inlined: n.inlined}
	for _, c := range n.callees {
		out.Callees = append(out.Callees, newHTMLNode(c))
	}
	return out
}

// sourceHash allows one script (Content Security Policy Level 3, 2.3.1).
func sourceHash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
