//go:build unix

package compare

import (
	"os/exec"
	"syscall"
)

// shell returns the command that runs a text in a process group of its own, so that a Ctrl-C reaches only this program,
// and all that the text starts can be ended.
func shell(text string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", text) //nolint:noctx // it is ended with a signal first
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func interrupt(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // it may have ended

func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
