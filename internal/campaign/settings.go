package campaign

import (
	"cmp"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/workload"
)

// The built-in workloads with a meaning to a campaign.
const (
	query           = "query"
	mixed           = "mixed"
	insertOrders    = "insert-orders"
	insertCustomers = "insert-customers"
)

// The steps of --steps that are no workloads.
const (
	populationStep = "population" // users fill the database
	coresStep      = "cores"      // a workload for each number of cores
	crashStep      = "crash"      // the service is killed, and the changes that it acknowledged are looked for
)

// The shortest times of a valid run, as the scenario requires.
const (
	validWarmUp   = 20 * time.Second
	validDuration = 60 * time.Second
)

// Settings are the settings of a campaign, which can be resumed only with the same ones.
type Settings struct {
	Preset    string   `json:"preset"`
	DB        string   `json:"db"` // without secrets
	Scale     string   `json:"scale"`
	Profile   string   `json:"profile"`
	Seed      uint64   `json:"seed"`  // of the dataset and of all random parameters
	Steps     []string `json:"steps"` // workloads, population, cores, crash
	Users     []int    `json:"users"`
	Reference int      `json:"reference"` // users of everything that is measured at a single number of users
	WarmUp    Duration `json:"warmUp"`
	Duration  Duration `json:"duration"`
	Think     Duration `json:"think"`
	CPUs      []int    `json:"cpus"`
	// NewDocuments, own or shared, replaces the setting of the workload's file if it is not empty.
	NewDocuments string `json:"newDocuments,omitempty"`
	Pool         int    `json:"pool,omitempty"` // connections of the service; 0 gives each user one

	// The factors of the preset's numbers of documents, and of its WarmUp and Duration.
	DataScale float64 `json:"dataScale"`
	TimeScale float64 `json:"timeScale"`
	Inserts   []Load  `json:"inserts,omitempty"` // into the loaded database; other inserts run for Duration
	Cores     []Load  `json:"cores,omitempty"`   // what runs for each of CPUs
}

// Load is a workload by a number of users.
type Load struct {
	Workload  string `json:"workload"`
	Users     int    `json:"users"`
	Documents int64  `json:"documents,omitempty"` // that are inserted, each by a transaction of its own
}

// Duration is a time such as 20s or 1h30m in a file.
type Duration struct{ time.Duration }

func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a time that is not below 0.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	if d.Duration, err = time.ParseDuration(string(text)); err == nil && d.Duration < 0 {
		err = fmt.Errorf("the time %s is below 0", text)
	}
	return err
}

// Resolved returns the settings with defaults for what is not given: the reference is the largest number of users,
// and the step cores runs the mixed workload on 1, 2, 4 and so on, up to all cores.
func (s Settings) Resolved() Settings {
	if s.Reference == 0 && len(s.Users) > 0 {
		s.Reference = slices.Max(s.Users)
	}
	if !slices.Contains(s.Steps, coresStep) {
		return s
	}
	if len(s.Cores) == 0 {
		s.Cores = []Load{{mixed, s.Reference, 0}}
	}
	if all := runtime.GOMAXPROCS(0); len(s.CPUs) == 0 {
		for n := 1; n < all; n *= 2 {
			s.CPUs = append(s.CPUs, n)
		}
		s.CPUs = append(s.CPUs, all)
	}
	return s
}

// smoke reports whether the settings are too short for the figures to count.
func (s Settings) smoke() bool {
	return s.WarmUp.Duration < validWarmUp || s.Duration.Duration < validDuration
}

// insertion returns the users of a workload of inserts, and the number of documents if Inserts has one.
func (s Settings) insertion(workload string) Load {
	for _, of := range s.Inserts {
		if of.Workload == workload {
			return of
		}
	}
	return Load{Workload: workload, Users: s.Reference}
}

// Check returns an error that names the first invalid setting.
func (s Settings) Check() error {
	spec, err := dataset.ParseSpec(s.Scale, s.Profile, s.Seed)
	if err != nil {
		return err
	}
	outside := func(n int) bool { return n < 1 || n > drive.MaxUsers }
	switch {
	case len(s.Steps) == 0 || repeats(s.Steps):
		return fmt.Errorf("--steps must list workloads, population, cores or crash, none of them twice")
	case len(s.Users) == 0 || slices.ContainsFunc(s.Users, outside) || repeats(s.Users):
		return fmt.Errorf("--users must be a list of different numbers from 1 to %d", drive.MaxUsers)
	case outside(s.Reference):
		return fmt.Errorf("--reference must be from 1 to %d", drive.MaxUsers)
	case repeats(s.CPUs) || len(s.CPUs) > 0 && slices.Min(s.CPUs) < 1:
		return fmt.Errorf("--cpus must be a list of different numbers, each at least 1")
	case !slices.Contains([]string{"", workload.OwnDocuments, workload.SharedDocuments}, s.NewDocuments):
		return fmt.Errorf("newDocuments: %q is neither %s nor %s", s.NewDocuments, workload.OwnDocuments,
			workload.SharedDocuments)
	case s.Duration.Duration <= 0:
		return fmt.Errorf("--duration must be above 0")
	}
	for _, step := range s.Steps {
		if step == populationStep || step == coresStep || step == crashStep {
			continue
		}
		definition, err := workload.Load(step)
		if err == nil {
			err = definition.Fits("") // through a service
		}
		if err != nil {
			return err
		}
	}
	most := max(s.Reference, slices.Max(s.Users))
	for i, of := range s.Inserts {
		switch {
		case slices.ContainsFunc(s.Inserts[:i], func(l Load) bool { return l.Workload == of.Workload }):
			return fmt.Errorf("inserts: %s is listed twice", of.Workload)
		case of.Workload != insertOrders && of.Workload != insertCustomers:
			return fmt.Errorf("inserts: %s is neither %s nor %s", of.Workload, insertOrders, insertCustomers)
		case of.Users < 1:
			return fmt.Errorf("inserts: %s needs at least 1 user", of.Workload)
		case of.Documents < int64(of.Users):
			return fmt.Errorf("%s of %d documents: too few for %d users, each of which inserts at least one", of.Workload,
				of.Documents, of.Users)
		}
	}
	for _, of := range slices.Concat(s.Inserts, s.Cores) {
		most = max(most, of.Users)
	}
	d := dataset.New(spec) // with fewer documents than users, users would wait for each other
	customers, orders := d.Count(dataset.Customer), d.Count(dataset.Order)
	if least := min(customers, orders); least < int64(most) {
		return fmt.Errorf("the dataset %s is too small for %d users: it has %d customers and %d orders", d.Fingerprint(),
			most, customers, orders)
	}
	return nil
}

// repeats reports whether a value is in a list more than once.
func repeats[T cmp.Ordered](list []T) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(list)))) < len(list)
}

// changed returns the names of the settings whose values in s and other differ.
func (s Settings) changed(other Settings) string {
	var names []string
	a, b := reflect.ValueOf(s), reflect.ValueOf(other)
	for i := range a.NumField() {
		if fmt.Sprint(a.Field(i)) != fmt.Sprint(b.Field(i)) { // an empty list prints like a nil one
			name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
