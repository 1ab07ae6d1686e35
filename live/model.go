package live

// Model is what a run has seen so far.
type Model struct{}
