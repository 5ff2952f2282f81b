//go:build !unix

package drive

import "os/exec"

// Shell returns the command that runs a text.
func Shell(text string) *exec.Cmd {
	return exec.Command("cmd", "/C", text) //nolint:noctx // it is ended by KillAll
}

// InterruptAll ends a command: there is no signal that asks it to.
func InterruptAll(cmd *exec.Cmd) { KillAll(cmd) }

// KillAll kills a command.
func KillAll(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have ended
