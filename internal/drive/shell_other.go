//go:build !unix

package drive

import "os/exec"

// Shell returns the command that runs a text in a shell.
func Shell(text string) *exec.Cmd {
	return exec.Command("cmd", "/C", text) //nolint:noctx // it is ended by killAll
}

func inOwnGroup(*exec.Cmd) {}

// interruptAll ends a command: there is no signal that asks it to.
func interruptAll(cmd *exec.Cmd) { killAll(cmd) }

// killAll kills a command, but not what it has started: only Unix has process groups.
func killAll(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have ended
