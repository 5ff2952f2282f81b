package campaign

import (
	"os"
	"os/exec"
	"syscall"
)

// alone keeps the terminal's Ctrl-C from the service, since the campaign stops it after it has written its figures. A
// service does not outlive a campaign that is killed: it would keep the database locked.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// flush writes to disk what a commit waits for: the data, and what is needed to find them.
func flush(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
