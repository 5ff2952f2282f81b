package probe

import (
	"errors"
	"maps"
	"regexp"
	"slices"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"
)

// Host returns the figures of the computer: the sums over all processors and over all disks.
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
	disks, err := s.disks()
	if err != nil {
		r.miss("disks", err)
	}
	maps.Copy(r.Figures, disks)
	return r
}

// virtual matches memory, and devices whose I/O is counted on disks too: loop devices, device mapper, RAID.
var virtual = regexp.MustCompile(`^(loop|ram|dm-|md|zram)`)

// disks adds up the disks, without partitions and virtual devices.
func (s System) disks() (Figures, error) {
	files, err := blockdevice.NewFS(s.path("proc"), s.path("sys"))
	if err != nil {
		return nil, err
	}
	devices, err := files.SysBlockDevices()
	if err != nil {
		return nil, err
	}
	all, err := files.ProcDiskstats()
	if err != nil {
		return nil, err
	}
	sums := make(Figures)
	for _, disk := range all {
		if slices.Contains(devices, disk.DeviceName) && !virtual.MatchString(disk.DeviceName) {
			sums[Reads] += float64(disk.ReadIOs)
			sums[ReadBytes] += float64(disk.ReadSectors) * procfs.SectorSize
			sums[Writes] += float64(disk.WriteIOs)
			sums[WriteBytes] += float64(disk.WriteSectors) * procfs.SectorSize
		}
	}
	if len(sums) == 0 {
		return nil, errors.New("the system lists none")
	}
	return sums, nil
}
