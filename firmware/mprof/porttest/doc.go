// Package porttest has no code of its own: its tests prove the ports of the
// firmware module. They run on the PC against models of their hardware, are
// compiled for every core, and run on QEMU and on the simulated board.
package porttest
