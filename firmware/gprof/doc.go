// Package gprof holds the C99 module that keeps gprof's counts on a target (src, port; docs/gprof.md), and
// tests it. In: ticks of a timer, calls of code that is compiled with -pg. Out: the block mprof_gprof and what it points
// to.
package gprof
