// Package uart opens serial ports. In: the name of a port and a baud rate. Out:
// a port that reads and writes bytes, and the ports of this machine.
package uart
