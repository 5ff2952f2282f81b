package campaign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/workload"
)

// The built-in workloads.
const (
	query           = "query"
	mixed           = "mixed"
	classic         = "classic"
	insertOrders    = "insert-orders"
	insertCustomers = "insert-customers"
)

// The steps of --steps that are no workloads.
const (
	populationStep = "population" // users fill the database
	coresStep      = "cores"      // a workload for each number of cores
	crashStep      = "crash"      // the service is killed, and the changes that it acknowledged are looked for
)

// The least times of a valid run, by the scenario.
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
	// NewDocuments says who reads and changes what users insert, own or shared, instead of what the workload's file says.
	NewDocuments string `json:"newDocuments,omitempty"`
	// Pool is the number of connections of the service; nil gives each user a connection, and 0 is the store's default.
	Pool *int `json:"pool,omitempty"`

	// The numbers of documents and the times of the preset are multiplied by these factors.
	DataScale float64 `json:"dataScale"`
	TimeScale float64 `json:"timeScale"`
	// Population is how users fill a database that has only securities, before the load.
	Population []Load `json:"population,omitempty"`
	Inserts    []Load `json:"inserts,omitempty"` // onto the loaded database; others run for Duration
	Cores      []Load `json:"cores,omitempty"`   // what runs for each of CPUs
}

// Load is a workload by a number of users.
type Load struct {
	Workload  string `json:"workload"`
	Users     int    `json:"users"`
	Documents int64  `json:"documents,omitempty"` // that are inserted through the transactions, with one commit each
}

// Duration is a time such as 20s or 1h30m in a file.
type Duration struct{ time.Duration }

func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads a time that is not below 0.
func (d *Duration) UnmarshalJSON(text []byte) (err error) {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("%s is not a time such as 20s or 1h", text)
	}
	if d.Duration, err = time.ParseDuration(s); err == nil && d.Duration < 0 {
		err = fmt.Errorf("the time %s is below 0", s)
	}
	return err
}

// Doublings returns the numbers of cores that are tried on a machine: 1, 2, 4 and so on, and all of them.
func Doublings(cores int) (list []int) {
	for n := 1; n < cores; n *= 2 {
		list = append(list, n)
	}
	return append(list, cores)
}

// Resolved sets what is not given: the reference number of users to the middle of the list, the population and the test
// of cores to those of the reference.
func (s Settings) Resolved() Settings {
	if s.Reference == 0 && len(s.Users) > 0 {
		s.Reference = slices.Sorted(slices.Values(s.Users))[len(s.Users)/2]
	}
	if len(s.Population) == 0 && slices.Contains(s.Steps, populationStep) {
		s.Population = []Load{{insertCustomers, s.Reference, 0}, {insertOrders, s.Reference, 0}} // all of the dataset
	}
	if len(s.Cores) == 0 && slices.Contains(s.Steps, coresStep) {
		s.Cores = []Load{{mixed, s.Reference, 0}}
	}
	return s
}

// smoke reports whether the settings are too short for the figures to count.
func (s Settings) smoke() bool {
	return s.WarmUp.Duration < validWarmUp || s.Duration.Duration < validDuration
}

// Verify returns an error that names the first invalid setting.
func (s Settings) Verify() error {
	spec, err := dataset.ParseSpec(s.Scale, s.Profile, s.Seed)
	if err != nil {
		return err
	}
	outside := func(n int) bool { return n < 1 || n > drive.MaxUsers }
	notPositive := func(n int) bool { return n < 1 }
	switch {
	case len(s.Steps) == 0 || repeats(s.Steps):
		return fmt.Errorf("--steps must be a list of workloads, population, cores and crash, each once")
	case len(s.Users) == 0 || slices.ContainsFunc(s.Users, outside) || repeats(s.Users):
		return fmt.Errorf("--users must be a list of different numbers from 1 to %d", drive.MaxUsers)
	case outside(s.Reference):
		return fmt.Errorf("--reference must be from 1 to %d", drive.MaxUsers)
	case slices.ContainsFunc(s.CPUs, notPositive) || repeats(s.CPUs):
		return fmt.Errorf("--cpus must be a list of different numbers from 1")
	case !slices.Contains([]string{"", workload.OwnDocuments, workload.SharedDocuments}, s.NewDocuments):
		return fmt.Errorf("newDocuments: %q is neither %s nor %s", s.NewDocuments, workload.OwnDocuments,
			workload.SharedDocuments)
	case s.Duration.Duration <= 0:
		return fmt.Errorf("--duration must be above 0")
	}
	return s.verifyDocuments(dataset.New(spec))
}

// verifyDocuments returns an error when there are fewer documents than users, who would wait for each other.
func (s Settings) verifyDocuments(d *dataset.Dataset) error {
	most := max(s.Reference, slices.Max(s.Users))
	for _, load := range slices.Concat(s.Population, s.Cores) {
		most = max(most, load.Users)
	}
	for _, i := range slices.Concat(s.Population, s.Inserts) {
		if i.Workload != insertOrders && i.Workload != insertCustomers {
			return fmt.Errorf("%s inserts no documents: a population and inserts are of %s and %s", i.Workload, insertOrders,
				insertCustomers)
		}
	}
	customers, orders := d.Count(dataset.Customer), d.Count(dataset.Order)
	if least := min(customers, orders); least < int64(most) {
		return fmt.Errorf("the dataset %s is too small for %d users: it has %d customers and %d orders", d.Fingerprint(),
			most, customers, orders)
	}
	for _, i := range s.Inserts {
		if i.Documents < int64(i.Users) || i.Users < 1 {
			return fmt.Errorf("%s of %d documents is too few for %d users: use a larger --data-scale", i.Workload, i.Documents,
				i.Users)
		}
	}
	return nil
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
