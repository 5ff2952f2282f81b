package probe

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
)

// Host returns the figures of the computer: of all processors and disks together.
func (s System) Host() (r Reading) {
	r.Figures = make(Figures)
	if text, err := s.read("proc/stat"); err != nil {
		r.miss("processors", err)
	} else {
		r.addProcessors(text)
	}
	if text, err := s.read("proc/diskstats"); err != nil {
		r.miss("disks", err)
	} else if !s.addDisks(&r, text) {
		r.miss("disks", errors.New("the system lists none"))
	}
	return r
}

func (r *Reading) addProcessors(text []byte) {
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	fields := bytes.Fields(line)
	if len(fields) < 9 || string(fields[0]) != "cpu" {
		r.miss("processors", errors.New("their line has another form"))
		return
	}
	// cpu user nice system idle iowait irq softirq steal; guests are part of user
	seconds := func(columns ...int) (sum float64) {
		for _, i := range columns {
			sum += number(fields[i]) / ticks
		}
		return sum
	}
	maps.Copy(r.Figures, map[string]float64{
		UserSeconds: seconds(1, 2), SystemSeconds: seconds(3, 6, 7), IdleSeconds: seconds(4), IOWaitSeconds: seconds(5),
		StealSeconds: seconds(8),
	})
}

// addDisks reports whether there are any. Partitions and virtual devices (device mapper, RAID, loop) are left out,
// since they would count twice.
func (s System) addDisks(r *Reading, text []byte) (found bool) {
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) < 10 {
			continue
		}
		name := string(fields[2])
		virtual := slices.ContainsFunc(virtualDisks[:], func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if _, err := os.Stat(s.path("sys/block/%s", name)); virtual || err != nil {
			continue
		}
		const sector = 512 // in this file, whatever the disk has
		r.Figures[Reads] += number(fields[3])
		r.Figures[ReadBytes] += number(fields[5]) * sector
		r.Figures[Writes] += number(fields[7])
		r.Figures[WriteBytes] += number(fields[9]) * sector
		found = true
	}
	return found
}

// virtualDisks are the prefixes of devices that are not separate disks.
var virtualDisks = [...]string{"loop", "ram", "dm-", "md", "zram"}
