//go:build unix

package drive

import (
	"os/exec"
	"syscall"
)

// Shell returns the command that runs a text in a process group of its own, so that a Ctrl-C does not reach what it
// starts, and all of that can be ended.
func Shell(text string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", text) //nolint:noctx // all of its group is ended, by KillAll
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// InterruptAll asks a command and all that it has started to end.
func InterruptAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // it may have ended

// KillAll kills a command and all that it has started.
func KillAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may have ended
