package probe

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"
)

// Host returns the figures of the computer: of all processors and disks together.
func (s System) Host() (r Reading) {
	r.Figures = make(Figures)
	if files, err := procfs.NewFS(s.path("proc")); err != nil {
		r.miss("processors", err)
	} else if stat, err := files.Stat(); err != nil {
		r.miss("processors", err)
	} else {
		all := stat.CPUTotal // guests are part of user
		maps.Copy(r.Figures, Figures{
			UserSeconds: all.User + all.Nice, SystemSeconds: all.System + all.IRQ + all.SoftIRQ, IdleSeconds: all.Idle,
			IOWaitSeconds: all.Iowait, StealSeconds: all.Steal, InterruptSeconds: all.IRQ + all.SoftIRQ,
		})
	}
	if err := s.addDisks(&r); err != nil {
		r.miss("disks", err)
	}
	return r
}

// addDisks adds up the disks. Partitions and virtual devices (device mapper, RAID, loop) are left out, since they would
// count twice.
func (s System) addDisks(r *Reading) error {
	files, err := blockdevice.NewFS(s.path("proc"), s.path("sys"))
	if err != nil {
		return err
	}
	devices, err := files.SysBlockDevices()
	if err != nil {
		return err
	}
	all, err := files.ProcDiskstats()
	if err != nil {
		return err
	}
	found := false
	for _, disk := range all {
		virtual := func(prefix string) bool { return strings.HasPrefix(disk.DeviceName, prefix) }
		if !slices.Contains(devices, disk.DeviceName) || slices.ContainsFunc(virtualDisks[:], virtual) {
			continue
		}
		found = true
		r.Figures[Reads] += float64(disk.ReadIOs)
		r.Figures[ReadBytes] += float64(disk.ReadSectors) * procfs.SectorSize
		r.Figures[Writes] += float64(disk.WriteIOs)
		r.Figures[WriteBytes] += float64(disk.WriteSectors) * procfs.SectorSize
	}
	if !found {
		return errors.New("the system lists none")
	}
	return nil
}

// virtualDisks are the prefixes of devices that are not separate disks.
var virtualDisks = [...]string{"loop", "ram", "dm-", "md", "zram"}
