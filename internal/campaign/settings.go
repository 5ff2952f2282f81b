package campaign

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
)

// The presets.
const (
	Full  = "full"
	Smoke = "smoke"
)

// The built-in workloads, in the order of a campaign.
const (
	query           = "query"
	mixed           = "mixed"
	classic         = "classic"
	insertOrders    = "insert-orders"
	insertCustomers = "insert-customers"
)

// The least times of a valid run, in seconds, by the scenario.
const (
	validWarmUp   = 20
	validDuration = 60
)

// PresetNames are the names of all presets.
var PresetNames = []string{Full, Smoke, Paper2006, Paper2007, Paper2008, Paper2009}

// Presets returns the settings of a preset. At XXXS, on two cores, full takes about 35 minutes and smoke less than 10.
func Presets(name string) (Settings, error) {
	s := Settings{
		Preset: name, Scale: "XXXS", Profile: dataset.TPoX2.String(), Seed: 1, Tuned: true,
		Workloads: []string{query, mixed, classic, insertOrders, insertCustomers},
	}
	switch name {
	case Full:
		s.Users = []int{25, 50, 75, 100, 150}
		s.WarmUp, s.Duration, s.Limit = validWarmUp, validDuration, 45*60
		s.Stages, s.Stage = 4, 10
	case Smoke:
		s.Users = []int{25, 50, 100}
		s.WarmUp, s.Duration, s.Limit = 3, 8, 10*60
		s.Stages, s.Stage = 3, 4
	default:
		if IsPaper(name) {
			return PaperPreset(name, 1, 1)
		}
		return s, fmt.Errorf("there is no preset %q: use %s", name, strings.Join(PresetNames, ", "))
	}
	return s, nil
}

// Doublings returns the numbers of cores that are tried on a machine: 1, 2, 4 and so on, and all of them.
func Doublings(cores int) (list []int) {
	for n := 1; n < cores; n *= 2 {
		list = append(list, n)
	}
	return append(list, cores)
}

// Resolved sets the reference number of users, unless it is given, to the middle of the list.
func (s Settings) Resolved() Settings {
	if s.Reference == 0 && len(s.Users) > 0 {
		s.Reference = slices.Sorted(slices.Values(s.Users))[len(s.Users)/2]
	}
	return s
}

// smoke reports whether the settings are too short for the figures to count.
func (s Settings) smoke() bool {
	return s.Preset == Smoke || s.WarmUp < validWarmUp || s.Duration < validDuration
}

// Verify returns an error that names the first invalid setting. Numbers are checked by the ranges of their flags.
func (s Settings) Verify() error {
	spec, err := dataset.ParseSpec(s.Scale, s.Profile, s.Seed)
	if err != nil {
		return err
	}
	if s.Find != "" {
		if _, err := drive.ParseGoal(s.Find); err != nil {
			return fmt.Errorf("--find: %w", err)
		}
	}
	notPositive := func(n int) bool { return n < 1 }
	for _, n := range []struct {
		flag string
		ok   bool
		want string
	}{
		{"users", len(s.Users) > 0, fmt.Sprintf("must be a list of numbers from 1 to %d", drive.MaxUsers)},
		{"workloads", len(s.Workloads) > 0, "must be a list of at least one"},
		{"cpus", !slices.ContainsFunc(s.CPUs, notPositive), "must be a list of numbers from 1"},
		{"users", !repeats(s.Users), "names a number twice"},
		{"cpus", !repeats(s.CPUs), "names a number twice"},
		{"workloads", !repeats(s.Workloads), "names one twice"},
	} {
		if !n.ok {
			return fmt.Errorf("--%s %s", n.flag, n.want)
		}
	}
	if !IsPaper(s.Preset) {
		return nil
	}
	return s.verifyDocuments(dataset.New(spec))
}

// repeats reports whether a value is in a list more than once.
func repeats[T cmp.Ordered](list []T) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(list)))) < len(list)
}

// changed returns the names of the settings in which other differs.
func (s Settings) changed(other Settings) string {
	var names []string
	a, b := reflect.ValueOf(s), reflect.ValueOf(other)
	for i := range a.NumField() {
		// A list that is empty and one that is not there are the same in a file.
		if x, y := a.Field(i), b.Field(i); x.Kind() == reflect.Slice && x.Len()+y.Len() == 0 {
			continue
		} else if !reflect.DeepEqual(x.Interface(), y.Interface()) {
			name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// variants returns what is run beside the default settings.
func (s Settings) variants(e Subject, cores int) []Variant {
	if !s.Tuned {
		return nil
	}
	return e.Variants(cores)
}
