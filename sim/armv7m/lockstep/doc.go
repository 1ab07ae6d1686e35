// Package lockstep runs the same program on QEMU and on the simulated core of
// package armv7m, instruction by instruction. In: a program image, drawn at
// random over the encoding space or compiled from C. Out: the first instruction
// after which the two processors differ, or proof that none did.
//
// QEMU is asked in two ways. The gdb remote protocol steps it one instruction
// at a time and is the judge; its log of processor states (one translation
// block per instruction) is some forty times faster and gives the volume. Both
// tell the state before every instruction: R0 to R15 and xPSR, and with the
// floating-point extension S0 to S31 and FPSCR.
package lockstep
