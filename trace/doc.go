// Package trace is the UART protocol of the instrumented firmware
// (docs/trace-protocol.md). In: bytes of a target in pieces of any size, with
// errors and gaps. Out: records of calls, what else the target says, and every
// loss; and the commands that a host sends.
package trace
