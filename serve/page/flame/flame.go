// Package flame is the flame graph for HTML files that stand alone. In: nothing. Out:
// a script and a style sheet to put into a page, built from serve/page/src by make page.
//
// The script defines mprofFlame(element, graph), which fills the element. Graph is
//
//	{
//	  "title": "demo.elf, 5990 samples in 60 s",
//	  "unit":  "samples",        // or "ns"
//	  "roots": [node...],
//	  "facts": [["Device", "Cortex-M4 r0p1"], ...],
//	  "spread": 1                // optional
//	}
//
// and a node {"n": name, "s": self, "k": category, "i": inlined, "c": [node...]}, where
// "k" is a profile.Category (absent: thread mode), "i" and "c" may be absent. Self is what was
// counted in the node itself; totals are made of it. Spread is how many times the variance of a share
// is that of as many independent samples: with it shares of samples are shown with their standard
// errors, without it without.
//
// Neither text contains "</script" or "</style"; the licences of the
// libraries in the script (d3-flame-graph and parts of d3) are its opening comment.
package flame

import _ "embed" // the two files

// Script is for a script element, before the one that calls mprofFlame.
//
//go:embed flame.js
var Script string

// Style is for a style element.
//
//go:embed flame.css
var Style string
