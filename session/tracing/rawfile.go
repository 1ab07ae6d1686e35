package tracing

import (
	"fmt"
	"os"
)

// rawFile keeps all bytes of a run as they come. There is no file before the
// first of them: a run that finds nobody leaves an older recording alone.
type rawFile struct {
	path   string
	file   *os.File
	bytes  uint64
	wanted bool  // for itself; else a run goes on without it
	failed error // of a file that nobody asked for
	short  bool  // a write failed
}

// Write appends to the file.
func (r *rawFile) Write(p []byte) (n int, err error) {
	if len(p) == 0 || r.path == "" || r.failed != nil {
		return len(p), nil
	}
	if n, err = r.append(p); err != nil && !r.wanted {
		r.failed = err
		_ = r.close(false)
		return len(p), nil
	}
	return n, err
}

// append creates the file with its first bytes.
func (r *rawFile) append(p []byte) (n int, err error) {
	if r.file == nil {
		if r.file, err = os.Create(r.path); err != nil {
			return 0, fmt.Errorf("keep the bytes that come: %w", err)
		}
	}
	n, err = r.file.Write(p)
	r.bytes += uint64(n)
	if err != nil {
		r.short = true
		err = fmt.Errorf("keep the bytes that come: %w", err)
	}
	return n, err
}

// close closes the file, and removes it unless somebody wants it.
func (r *rawFile) close(keep bool) error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	if !keep {
		_ = os.Remove(r.path)
	}
	return err
}
