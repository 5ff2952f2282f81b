//go:build !unix

package compare

import "os/exec"

// shell returns the command that runs a text.
func shell(text string) *exec.Cmd { return exec.Command("cmd", "/C", text) }

func interrupt(cmd *exec.Cmd) { killAll(cmd) }

func killAll(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have ended
