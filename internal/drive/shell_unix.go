//go:build unix

package drive

import (
	"os/exec"
	"syscall"
)

// Shell returns the command that runs a text in a shell.
func Shell(text string) *exec.Cmd {
	return exec.Command("/bin/sh", "-c", text) //nolint:noctx // all of its group is ended, by killAll
}

// inOwnGroup makes a command start in a process group of its own.
func inOwnGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
}

// interruptAll asks a command and all that it has started to end.
func interruptAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // it may have ended

// killAll kills a command and all that it has started.
func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may have ended
