// Package probe reads what Linux counts about processes and about the computer from the files below /proc and /sys.
//
// A figure that cannot be read is absent from the result, and never 0; Reading.Missing has the reason. Other systems
// have no such files, so everything is missing there.
package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The names of figures. All but Memory and PeakMemory are counters.
const (
	UserSeconds   = "userSeconds"
	SystemSeconds = "systemSeconds"
	IOWaitSeconds = "ioWaitSeconds" // of a process: waiting for a disk; of the computer: idle while a process waited
	IdleSeconds   = "idleSeconds"
	StealSeconds  = "stealSeconds" // that the hypervisor gave to others
	// InterruptSeconds is the part of SystemSeconds spent on interrupts, which no process is charged for.
	InterruptSeconds = "interruptSeconds"

	Reads      = "reads" // that the disks have carried out
	Writes     = "writes"
	ReadCalls  = "readCalls" // system calls, on files and connections
	WriteCalls = "writeCalls"
	ReadBytes  = "readBytes" // from disks
	WriteBytes = "writeBytes"

	Memory     = "memory" // resident, in bytes
	PeakMemory = "peakMemory"
)

// Figures are values that the system counts, by name.
type Figures map[string]float64

// Others returns the share of the computer's processor time that other programs and the hypervisor used, without
// interrupts. The receiver holds the figures of the whole computer, and ours is the processor time of the measured
// programs, in seconds. ok is false if the total is unknown.
func (used Figures) Others(ours float64) (share float64, ok bool) {
	busy := used[UserSeconds] + used[SystemSeconds] + used[StealSeconds]
	all := busy + used[IOWaitSeconds] + used[IdleSeconds]
	if all <= 0 {
		return 0, false
	}
	return max(0, (busy-used[InterruptSeconds]-ours)/all), true
}

// A Reading is what could be read, and what could not, with the reason.
type Reading struct {
	Figures Figures
	Missing []string // such as "I/O: permission denied"
}

func (r *Reading) miss(what string, err error) {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err // without the name of the file, which differs by process
	}
	r.Missing = append(r.Missing, what+": "+err.Error())
}

// A System is a computer whose folders proc and sys are below root.
type System struct{ root string }

// Here is this computer.
var Here = System{"/"}

// At returns a computer whose folders proc and sys are in another folder, for tests.
func At(root string) System { return System{root} }

func (s System) path(format string, values ...any) string {
	return filepath.Join(s.root, fmt.Sprintf(format, values...))
}

// read returns the content of a file.
func (s System) read(format string, values ...any) ([]byte, error) {
	return os.ReadFile(s.path(format, values...))
}
