package gdbremote

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A target that runs may ask for files of the host, by semihosting: it stands
// still until it is answered (GDB manual, E.13 "File-I/O Remote Protocol
// Extension"). Nobody reads or writes files here: what is written is taken and
// dropped, everything else fails.
var fileCalls = []string{"open", "close", "read", "write", "lseek", "rename", "unlink", "stat", "fstat", "gettimeofday", "isatty", "system"}

// isFileRequest tells a request for files from an answer in capital digits.
func isFileRequest(body []byte) bool {
	name, ok := bytes.CutPrefix(body, []byte{'F'})
	if !ok {
		return false
	}
	name, _, _ = bytes.Cut(name, []byte{','})
	for _, call := range fileCalls {
		if string(name) == call {
			return true
		}
	}
	return false
}

// Numbers of the protocol's own errno (E.13.8.2 "Errno Values"), in digits.
const (
	fileInterrupted = "4"
	fileUnknown     = "270f" // EUNKNOWN, 9999
)

// answerFileRequest is the reply. With an interrupt under way the call ends
// unfinished, and the server stops the target.
func answerFileRequest(body []byte, interrupted bool) []byte {
	if interrupted {
		return []byte("F-1," + fileInterrupted + ",C")
	}
	arguments := strings.Split(string(body), ",")
	if arguments[0] == "Fwrite" && len(arguments) == 4 {
		if n, err := strconv.ParseUint(arguments[3], 16, 31); err == nil {
			return fmt.Appendf(nil, "F%x", n)
		}
	}
	return []byte("F-1," + fileUnknown)
}
