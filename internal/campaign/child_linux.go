package campaign

import (
	"os/exec"
	"syscall"
)

// alone keeps the terminal's Ctrl-C from a service, which the campaign stops when it has taken down what it did so far;
// and lets no service outlive a campaign that is killed, since it would keep the database.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
