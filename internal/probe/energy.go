package probe

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Energy adds up the energy that processors and memory have used, by their own counters (RAPL, in the kernel's powercap
// framework). It is not safe for concurrent use.
type Energy struct {
	zones []energyZone
	uj    uint64 // microjoules since the first reading
}

// energyZone is a counter of microjoules that starts again from 0 when it reaches its limit.
type energyZone struct {
	file        string
	last, limit uint64
}

// Energy finds the counters and reads them for the first time. It returns an error where there are none, or where they
// may not be read: usually only root may.
func (s System) Energy() (*Energy, error) {
	const folder = "sys/class/powercap"
	names, _ := filepath.Glob(s.path(folder + "/intel-rapl:*/name"))
	e := &Energy{}
	for _, file := range names {
		name, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if !measured(string(bytes.TrimSpace(name))) {
			continue
		}
		zone := energyZone{file: filepath.Join(filepath.Dir(file), "energy_uj")}
		if zone.limit, err = readCount(filepath.Join(filepath.Dir(file), "max_energy_range_uj")); err != nil {
			return nil, err
		}
		if zone.last, err = readCount(zone.file); err != nil {
			return nil, err
		}
		e.zones = append(e.zones, zone)
	}
	if len(e.zones) == 0 {
		return nil, errors.New("the machine has no counters of it (RAPL, /sys/class/powercap)")
	}
	return e, nil
}

// measured reports whether a zone counts. Packages do not include the memory; cores and graphics are part of a package,
// and psys, the whole system on a chip, includes it.
func measured(zone string) bool { return strings.HasPrefix(zone, "package") || zone == "dram" }

// Joules returns the energy since the counters were found. Two calls must not be further apart than a counter's range,
// which is more than half an hour at full load.
func (e *Energy) Joules() (float64, error) {
	for i := range e.zones {
		z := &e.zones[i]
		now, err := readCount(z.file)
		if err != nil {
			return 0, err
		}
		if now < z.last {
			e.uj += z.limit
		}
		e.uj += now - z.last // the sum is right even if this difference is negative
		z.last = now
	}
	return float64(e.uj) / 1e6, nil
}

func readCount(file string) (uint64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64)
}
