package session

import (
	"sync"

	"github.com/mprof/mprof/live"
)

// sources reads the source files of a run, and no others: those that its model names, which
// has them from the program's debug information.
type sources struct {
	mu   sync.Mutex
	read func(file string) (string, bool) // nil: there is no program
}

// Source is a file that the program's debug information names, of a function that was
// met.
func (s *Session) Source(file string) (string, bool) { return s.sources.source(s.model, file) }

// source is a file that a function of the model is in.
func (s *sources) source(m *live.Model, file string) (string, bool) {
	s.mu.Lock()
	read := s.read
	s.mu.Unlock()
	if read == nil || file == "" || !m.Names(file) {
		return "", false
	}
	return read(file)
}

// readBy says who reads the files of the run that begins.
func (s *sources) readBy(read func(file string) (string, bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = read
}
