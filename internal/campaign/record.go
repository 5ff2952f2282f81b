package campaign

import (
	_ "embed" // for Schema
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"brokerage/internal/output"
	"brokerage/internal/result"
)

// Format is the format of a campaign's file; readers refuse any other one.
const Format = "brokerage-campaign/1"

// Schema is the JSON Schema of campaign.json. It refers to that of a run, result.Schema, by its id.
//
//go:embed record.schema.json
var Schema []byte

// Record is the content of campaign.json. It is written after each step, so that an interrupted campaign can be read
// and resumed.
type Record struct {
	Format     string    `json:"format"`
	Preset     string    `json:"preset"`
	Smoke      bool      `json:"smoke"`      // too short to be a study: no figure of it counts
	Complete   bool      `json:"complete"`   // every planned step has been run
	Unfinished string    `json:"unfinished"` // why it is not complete; empty if it is
	Started    time.Time `json:"started"`
	Seconds    float64   `json:"seconds"` // of all steps, without the time between an interruption and its continuation

	Dataset  result.DatasetStamp `json:"dataset"` // that the load makes
	Store    StoreStamp          `json:"store"`
	Settings Settings            `json:"settings"`
	Machine  Machine             `json:"machine"`
	Versions Versions            `json:"versions"`

	Steps []Step `json:"steps"` // in the order in which they are run
}

// StoreStamp is the database as it describes itself, with the settings that results depend on. Campaigns whose
// Durability differs are not compared.
type StoreStamp struct {
	Engine     string            `json:"engine"`
	Version    string            `json:"version"`
	URL        string            `json:"url"` // without secrets
	Durability string            `json:"durability"`
	Settings   map[string]string `json:"settings"`
}

// Machine is the computer that the campaign ran on. An unknown Host, Kernel or FileSystem is empty.
type Machine struct {
	result.Machine

	Host       string `json:"host"`
	Kernel     string `json:"kernel"`
	FileSystem string `json:"fileSystem"` // of the campaign's folder
	// FlushP50 and FlushP99 are how long a small write and its flush to disk take, in microseconds: the lower limit of a
	// durable commit.
	FlushP50 float64 `json:"flushP50"`
	FlushP99 float64 `json:"flushP99"`
}

// Versions are those of the program under test and of its build.
type Versions struct {
	Go        string `json:"go"`
	Brokerage string `json:"brokerage"` // ends in +dirty if it was built from files that are not in the commit
	Commit    string `json:"commit"`
	Generator int    `json:"generator"`
}

// StepKind is what a step does, and determines which of its fields are set.
type StepKind string

// The kinds of steps.
const (
	KindPopulation StepKind = "population" // Inserts
	KindLoad       StepKind = "load"       // Load
	KindSpace      StepKind = "space"      // Space
	KindBackup     StepKind = "backup"     // Copy
	KindRestore    StepKind = "restore"    // Copy
	KindRun        StepKind = "run"        // Run
	KindCrash      StepKind = "crash"      // Run, with a proof of what was kept
)

// State is the state of a step.
type State string

// The states of a step.
const (
	Planned     State = "planned"
	Done        State = "done"
	Interrupted State = "interrupted" // what it has measured so far is there
)

// Step is one step of the campaign.
type Step struct {
	Name    string   `json:"name"` // unique
	Kind    StepKind `json:"kind"`
	State   State    `json:"state"`
	Seconds float64  `json:"seconds"`

	Load    *BulkLoad   `json:"load,omitempty"`
	Space   *Space      `json:"space,omitempty"`
	Copy    *Copy       `json:"copy,omitempty"`
	Plan    *RunPlan    `json:"plan,omitempty"`
	Run     *result.Run `json:"run,omitempty"`
	Again   bool        `json:"again,omitempty"`          // Run is the second one: the first was unsteady or disturbed
	Restore float64     `json:"restoreSeconds,omitempty"` // of Seconds, for restores before the run
	Inserts []Growth    `json:"inserts,omitempty"`
}

// BulkLoad is a bulk load, with many documents in a commit. Its rates must not be compared with published rates of
// inserts.
type BulkLoad struct {
	Documents int64   `json:"documents"`
	Bytes     int64   `json:"bytes"`         // of documents as a client gets them
	Finish    float64 `json:"finishSeconds"` // after the last document: indexes, settings
}

// Space is the size of a database by its parts, in bytes.
type Space struct {
	Kinds   []KindBytes  `json:"kinds"`
	Indexes []NamedBytes `json:"indexes"`
	Rest    int64        `json:"rest"`
	Total   int64        `json:"total"` // without the journal
	Journal int64        `json:"journal"`
	Raw     int64        `json:"raw"`
}

// KindBytes is the space of the documents of a kind: raw, and stored with all overhead of their table.
type KindBytes struct {
	Kind      string `json:"kind"`
	Documents int64  `json:"documents"`
	Raw       int64  `json:"raw"`
	Stored    int64  `json:"stored"`
}

// NamedBytes is the size of something with a name.
type NamedBytes struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Copy is a backup or a restore.
type Copy struct {
	Database int64 `json:"database"` // bytes
	File     int64 `json:"file"`     // bytes of the backup
}

// RunPlan is the plan of a step's run.
type RunPlan struct {
	Workload string `json:"workload"` // a name, or the path of a workload file
	// Label is the name of the workload, and how the run differs from it, such as "insert-customers, not validated".
	Label       string `json:"label"`
	Validate    *bool  `json:"validate,omitempty"` // instead of what the workload's file says
	Users       int    `json:"users"`
	Connections int    `json:"connections"`    // that the service has to the database at most
	CPUs        int    `json:"cpus,omitempty"` // cores that the service may use; 0 is all
	// ServerLimited reports whether the processes of the database's server may use no more than CPUs either.
	ServerLimited bool `json:"serverLimited,omitempty"`
	// Documents is how many are inserted, instead of a time; 0 for other runs.
	Documents int64 `json:"documents,omitempty"`
}

// Growth is one stage of a population: inserts, each a transaction of its own, that show whether their rate holds as
// the database grows.
type Growth struct {
	Stage     int        `json:"stage"` // from 1
	Workload  string     `json:"workload"`
	Before    int64      `json:"before"` // documents of the kind
	Documents int64      `json:"documents"`
	Rate      float64    `json:"documentsPerSecond"`
	Total     int64      `json:"total"` // bytes of the database after it
	Run       result.Run `json:"run"`
}

// ByWorkload returns the stages of each kind of inserts.
func ByWorkload(stages []Growth) (all [][]Growth) {
	for _, g := range stages {
		at := slices.IndexFunc(all, func(of []Growth) bool { return of[0].Workload == g.Workload })
		if at < 0 {
			at = len(all)
			all = append(all, nil)
		}
		all[at] = append(all[at], g)
	}
	return all
}

// Invalid returns the names of the steps with an INVALID run that counts, with the reasons of the first such run. A
// stage of inserts may be unsteady, since it shows how the rate changes while a database grows.
func (r *Record) Invalid() (steps []string) {
	for _, s := range r.Steps {
		var faults []result.Validity
		if s.Run != nil {
			faults = append(faults, s.Run.Validity)
		}
		for _, g := range s.Inserts {
			if v := g.Run.Validity; !v.Unsteady || len(v.Reasons) > 1 {
				faults = append(faults, v)
			}
		}
		if i := slices.IndexFunc(faults, result.Validity.Invalid); i >= 0 {
			steps = append(steps, fmt.Sprintf("%s (%s)", s.Name, strings.Join(faults[i].Reasons, "; ")))
		}
	}
	return steps
}

// onlyDisturbed reports whether the only faults of a run are that it was unsteady or that others used the machine.
func onlyDisturbed(v result.Validity) bool {
	return len(v.Reasons) == 1 && (v.Unsteady || v.Disturbed) || len(v.Reasons) == 2 && v.Unsteady && v.Disturbed
}

// MaxFile bounds a file of results, in bytes. The result of a one-day run with figures every 5 s has about 200 MB.
const MaxFile = 256 << 20

// Read reads a campaign's file.
func Read(path string) (*Record, error) {
	text, err := output.ReadInput(path, MaxFile)
	if err != nil {
		return nil, err
	}
	r := new(Record)
	err = json.Unmarshal(text, r)
	if (err == nil || r.Format != "") && r.Format != Format { // this says more than an error about a field
		return nil, fmt.Errorf("%s is not a campaign: its format is %q, not %q", path, r.Format, Format)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
