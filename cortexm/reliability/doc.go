// Package reliability injects every fault at every point of attaching, sampling
// and detaching, and says what is left behind. In: the simulated board, its
// faults, and the sampler with its real transports. Out: the table of
// docs/reliability.md, which its tests hold.
package reliability
