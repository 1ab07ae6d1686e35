// Package mprof holds the C99 module that firmware is instrumented with (src,
// port; docs/firmware.md), and tests it. In: calls of the compiler's hooks, commands of a
// host. Out: the bytes of docs/trace-protocol.md.
package mprof
