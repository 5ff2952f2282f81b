package campaign

import (
	"fmt"
	"math"
	"slices"

	"brokerage/internal/dataset"
)

// The presets of the published TPoX studies.
const (
	Paper2006 = "paper-2006"
	Paper2007 = "paper-2007"
	Paper2008 = "paper-2008"
	Paper2009 = "paper-2009"
)

// paper is what a study did: its documents, and settings without them.
type paper struct {
	customers, orders int64
	Settings
}

// The times of the studies in seconds. Only that of 2009 published a ramp-up, so all have it.
const (
	hour        = 3600
	paperWarmUp = hour / 2
)

// papers are the published studies. Where a study did not publish a value, it is the one that the comment names.
var papers = map[string]paper{
	Paper2006: {6e6, 30e6, Settings{
		Profile: dataset.TPoX1.String(), Workloads: []string{query, classic}, Users: []int{25, 50, 75, 100, 125, 150},
		Reference: 150, WarmUp: paperWarmUp, Duration: hour,
		Population: []Insertion{{insertCustomers, 100, 0}, {insertOrders, 100, 0}},
		// It inserted by populating; here as many documents again follow, onto the populated database.
		Inserts: []Insertion{{insertOrders, 100, 30e6}, {insertCustomers, 100, 6e6}},
	}},
	Paper2007: {3e6, 15e6, Settings{ // length of the runs and number of inserts as in 2006
		Profile: dataset.TPoX1.String(), Workloads: []string{query, classic},
		Users:     []int{25, 50, 75, 100, 125, 150, 200},
		Reference: 200, WarmUp: paperWarmUp, Duration: hour,
		Population: []Insertion{{insertCustomers, 50, 0}, {insertOrders, 100, 0}},
		Inserts:    []Insertion{{insertOrders, 100, 15e6}, {insertCustomers, 50, 3e6}},
		Cores:      []CoreTest{{query, 125}},
	}},
	Paper2008: {60e6, 300e6, Settings{ // users of the population as in its insert test
		Profile: dataset.TPoX1.String(), Workloads: []string{mixed}, Users: []int{25, 50, 75, 100, 150, 200},
		Reference: 200, WarmUp: paperWarmUp, Duration: 2 * hour, Tuned: true,
		Population: []Insertion{{insertCustomers, 600, 0}, {insertOrders, 600, 0}},
		Inserts:    []Insertion{{insertOrders, 600, 3e6}, {insertCustomers, 600, 2e6}},
		Cores:      []CoreTest{{mixed, 150}, {mixed, 200}},
	}},
	Paper2009: {50e6, 500e6, Settings{ // the list of users up to 300, and the users of the inserts
		Profile: dataset.TPoX2.String(), Workloads: []string{mixed}, Users: []int{25, 50, 100, 150, 200, 300},
		Reference: 300, WarmUp: paperWarmUp, Duration: hour, Tuned: true,
		Population: []Insertion{{insertCustomers, 300, 0}, {insertOrders, 300, 0}},
		Inserts:    []Insertion{{insertOrders, 300, 50e6}, {insertCustomers, 300, 18.2e6}},
	}},
}

// PaperPreset returns the settings of a published study, with its numbers of documents and its times multiplied by a
// factor each. The number of users stays.
func PaperPreset(name string, dataScale, timeScale float64) (Settings, error) {
	study, ok := papers[name]
	if !ok {
		return Settings{}, fmt.Errorf("there is no study %q", name)
	}
	scaled := func(n int64) int64 { return int64(math.Round(float64(n) * dataScale)) }
	scale, err := dataset.ScaleOf(scaled(study.customers), scaled(study.orders))
	if err != nil {
		return Settings{}, fmt.Errorf("--data-scale %v: %w", dataScale, err)
	}
	s := study.Settings
	s.Preset, s.Scale, s.Seed = name, scale.String(), 1
	s.DataScale, s.TimeScale = dataScale, timeScale
	s.WarmUp, s.Duration = s.WarmUp*timeScale, s.Duration*timeScale
	s.Inserts = slices.Clone(s.Inserts)
	for i := range s.Inserts {
		s.Inserts[i].Documents = scaled(s.Inserts[i].Documents)
	}
	return s, nil
}

// IsPaper reports whether a preset is a published study.
func IsPaper(preset string) bool {
	_, ok := papers[preset]
	return ok
}

// verifyDocuments returns an error when there are fewer documents than users, who would wait for each other.
func (s Settings) verifyDocuments(d *dataset.Dataset) error {
	most := max(s.Reference, slices.Max(s.Users))
	for _, c := range s.Cores {
		most = max(most, c.Users)
	}
	customers, orders := d.Count(dataset.Customer), d.Count(dataset.Order)
	for _, p := range s.Population {
		most = max(most, p.Users)
	}
	if least := min(customers, orders); least < int64(most) {
		return fmt.Errorf("the dataset %s is too small for %d users: it has %d customers and %d orders", d.Fingerprint(),
			most, customers, orders)
	}
	for _, i := range s.Inserts {
		if i.Documents < int64(i.Users) {
			return fmt.Errorf("%s of %d documents is too few for %d users: use a larger --data-scale", i.Workload, i.Documents,
				i.Users)
		}
	}
	return nil
}
