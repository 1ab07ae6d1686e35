package qemu

import (
	"os/exec"
	"syscall"
)

// dieWithUs has the kernel end a process when the thread that starts it ends,
// so that a test that is killed leaves no emulator behind.
func dieWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
