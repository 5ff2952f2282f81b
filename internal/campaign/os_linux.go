package campaign

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"brokerage/internal/probe"
)

// dieWithParent ends a service when the campaign is killed; otherwise the service would keep the database locked.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// limitCores lets the processes of a server, of which pid is the parent, run on no more than n of its cores. undo
// lifts the limit.
func limitCores(pid, n int) (undo func() error, err error) {
	var all, some unix.CPUSet
	if err := unix.SchedGetaffinity(pid, &all); err != nil {
		return nil, err
	}
	for cpu := 0; some.Count() < min(n, all.Count()); cpu++ {
		if all.IsSet(cpu) {
			some.Set(cpu)
		}
	}
	undo = func() error { return setCores(pid, &all) }
	if err := setCores(pid, &some); err != nil {
		return nil, errors.Join(err, undo())
	}
	return undo, nil
}

// setCores sets the cores of a process and its children. Children that it starts later inherit them.
func setCores(pid int, cores *unix.CPUSet) error {
	for _, process := range append([]int{pid}, probe.Here.Children(pid)...) {
		err := unix.SchedSetaffinity(process, cores)
		if err != nil && !errors.Is(err, unix.ESRCH) { // ESRCH: it has ended since
			return err
		}
	}
	return nil
}

// lockFolder keeps other campaigns out of a folder until unlock, or until the process ends.
func lockFolder(path string) (unlock func() error, err error) {
	folder, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		err = fmt.Errorf("another campaign runs in %s", path)
	}
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder.Close, nil
}
