// Package calls rebuilds call trees from traced records. In: records in the
// order of return, losses, and what the target says of its clock and costs. Out:
// times of functions and of call paths, a timeline, and a profile of them.
package calls
