package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mprof/mprof/profile"
)

// isStream tells whether path is written to as it is: standard output, a
// device, a pipe.
func isStream(path string) bool {
	if path == "-" {
		return true
	}
	st, err := os.Stat(path)
	return err == nil && !st.Mode().IsRegular() && !st.IsDir()
}

// WriteFile writes p in the format that path names. A file is written beside
// its place and renamed into it when it is complete and on the disk: what was
// there before stays until then, and after an error. "-", devices and pipes
// are written to directly.
func WriteFile(path string, p *profile.Profile) error { return Options{}.WriteFile(path, p) }

// Options are those of the formats that have some.
type Options struct{ Gmon Gmon }

// WriteFile writes as the function of that name does.
func (o Options) WriteFile(path string, p *profile.Profile) error {
	f, err := ByPath(path)
	if err != nil {
		return err
	}
	return Write(path, func(w io.Writer) error { return o.write(f, w, p) })
}

// Write is WriteFile for what is no profile: content writes it.
func Write(path string, content func(io.Writer) error) (err error) {
	write := func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		if err := content(b); err != nil {
			return err
		}
		return b.Flush()
	}
	switch {
	case path == "-":
		err = write(os.Stdout)
	case isStream(path):
		err = writeStream(path, write)
	default:
		err = writeAtomic(path, write)
	}
	if err != nil {
		return fmt.Errorf("export: write %s: %w", path, reason(err))
	}
	return nil
}

func (o Options) write(f Format, w io.Writer, p *profile.Profile) error {
	if f.Ext == GmonExt {
		return o.Gmon.Write(w, p)
	}
	return f.Write(w, p)
}

func writeStream(path string, write func(io.Writer) error) error {
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(w), w.Close())
}

// writeAtomic follows a symbolic link to the file behind it and keeps the
// permissions of a file that it replaces.
func writeAtomic(path string, write func(io.Writer) error) (err error) {
	mode := fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if st, err := os.Stat(path); err == nil {
		if st.IsDir() {
			return errIsFolder
		}
		mode = st.Mode().Perm()
	}
	tmp, err := createBeside(path, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if err := write(tmp); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// createBeside opens a new file in the folder of path; the umask applies to
// mode, as it does to any new file.
func createBeside(path string, mode fs.FileMode) (*os.File, error) {
	folder, base := filepath.Split(path)
	for n := 0; ; n++ {
		name := filepath.Join(folder, fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), n))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) && n < 100 {
			continue
		}
		return f, err
	}
}

var errIsFolder = errors.New("is a folder")

// CheckWritable finds out before a run whether a file can be written at path
// after it. It leaves nothing behind.
func CheckWritable(path string) error {
	if path == "-" {
		return nil
	}
	if err := checkWritable(path); err != nil {
		return fmt.Errorf("export: cannot write %s: %w", path, reason(err))
	}
	return nil
}

func checkWritable(path string) error {
	st, err := os.Stat(path)
	switch {
	case err == nil && st.IsDir():
		return errIsFolder
	case err == nil && !st.Mode().IsRegular():
		// Opening a pipe for writing would wait for its reader, and closing
		// it again would end the reader's input.
		if st.Mode().Type() == fs.ModeNamedPipe {
			return nil
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := createBeside(path, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// reason drops the name of the temporary file from an error of the operating
// system and says the common ones in words.
func reason(err error) error {
	var perr *fs.PathError
	var lerr *os.LinkError
	switch {
	case errors.As(err, &perr):
		err = perr.Err
	case errors.As(err, &lerr):
		err = lerr.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("its folder does not exist: %w", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("no permission to write in that folder: %w", err)
	}
	return err
}
