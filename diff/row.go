package diff

import (
	"math"
	"path"
	"strings"
)

// growth is the significant change that is largest as a part of what was.
func (r *Row) growth() (most float64) {
	for _, c := range r.changes() {
		if v := c.Relative(); c.Significant && math.Abs(v) > math.Abs(most) {
			most = v
		}
	}
	return most
}

// fate says that only one profile has a function, or that it was renamed or moved.
func (r *Row) fate() (out []string) {
	switch {
	case !r.InOld:
		out = append(out, "only in new")
	case !r.InNew:
		out = append(out, "only in old")
	}
	if r.OldName != "" {
		out = append(out, "was "+r.OldName)
	}
	if r.OldFile != "" {
		out = append(out, "moved from "+path.Base(strings.ReplaceAll(r.OldFile, `\`, "/")))
	}
	return out
}
