// Package gproftest holds firmware/examples/gprof against what the program really did: on QEMU and on the
// simulated board, whose truth has every call and cycle.
package gproftest
