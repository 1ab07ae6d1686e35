// Package strangers holds tests alone: debuggers that others wrote (OpenOCD,
// pyOCD, gdb) use the simulated board through the real libusb, and OpenOCD's
// profiler is measured against mprof. In: nothing. Out: a verdict on the board,
// and the table of docs/overhead.md.
package strangers
