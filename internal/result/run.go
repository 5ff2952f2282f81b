// Package result turns the records of a load's transactions into its result: it keeps histograms, judges whether the
// figures may be quoted, and writes a table and a file.
package result

import (
	_ "embed"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"brokerage/internal/tpox"
)

// Schema is the JSON Schema of Run.
//
//go:embed run.schema.json
var Schema []byte

// Format names the format of a result and its version, which changes whenever an older reader would misread a result.
const Format = "brokerage-run/1"

// Run is the result of one run of a workload by any tool. Times of transactions are in microseconds.
type Run struct {
	Format string `json:"format"`
	Tool   Tool   `json:"tool"`
	Commit string `json:"commit,omitempty"` // of this project, if known

	Target   Target        `json:"target"`
	Workload WorkloadStamp `json:"workload"`
	Model    Model         `json:"model"`

	Started  time.Time `json:"started"`
	Ramp     float64   `json:"rampSeconds"`     // as configured
	Duration float64   `json:"durationSeconds"` // as configured; 0 with a Count
	Warmed   float64   `json:"warmedSeconds"`   // from Started to the beginning of the measured time
	Measured float64   `json:"measuredSeconds"`
	Seed     uint64    `json:"seed"`
	Ended    Ending    `json:"ended"` // why

	Dataset DatasetStamp `json:"dataset"`
	// Settings are durability and the store's settings, under the store's names. A comparison of runs lists differences.
	Settings map[string]string `json:"settings"`
	// Faithful is where the store does the work on XML, by transaction; nil if the target does not report it.
	Faithful map[string]tpox.Fidelity `json:"faithful,omitempty"`

	Transactions []Row     `json:"transactions"` // in the order of the mix
	Kinds        []Row     `json:"kinds"`        // query, update, insert, delete; without those that the mix lacks
	Total        Row       `json:"total"`
	Prepared     *Prepared `json:"prepared,omitempty"`

	// Rates of the transactions that were answered within the measured time.
	TPS     float64 `json:"tps"`     // good answers and expected refusals, a second
	TPM     float64 `json:"tpm"`     // the same, a minute
	Goodput float64 `json:"goodput"` // good answers, a second

	Intervals []Interval `json:"intervals"` // one for each --every; none in the merged result of several load generators
	PerSecond []int64    `json:"perSecond"` // transactions in each second, for steadiness
	Arrivals  *Arrivals  `json:"arrivals,omitempty"`

	// Curve is set in the result of a search for the highest rate.
	Curve *Curve `json:"curve,omitempty"`
	// Proof is set in the result of a run with a ledger, and Break in that of a run whose target was broken.
	Proof *Proof `json:"proof,omitempty"`
	Break *Break `json:"break,omitempty"`
	// Part is set in the result of one of several load generators; Model is that of the whole load even then. Parts is
	// set in the merged result of all of them.
	Part  *LoadPart  `json:"part,omitempty"`
	Parts []LoadPart `json:"parts,omitempty"`

	Usage Usage `json:"usage"`
	// Resources are missing in results of k6, in merged results, and where nothing could be sampled.
	Resources *Resources `json:"resources,omitempty"`

	Machine  Machine  `json:"machine"` // of the load generator
	Validity Validity `json:"validity"`
}

// Tool is the load generator.
type Tool struct {
	Name    string `json:"name"` // drive, k6
	Version string `json:"version"`
}

// Target is what the load was sent to.
type Target struct {
	Kind   string `json:"kind"`   // Direct, HTTP
	Engine string `json:"engine"` // sqlite, postgres, …; empty if a service does not report it
	URL    string `json:"url"`    // without user, password and parameters
	// SameHost means that the load generator used processor time of the service's computer.
	SameHost bool   `json:"sameHost"`
	Version  string `json:"version,omitempty"` // of the service
}

// LoadPart is what one of several load generators has contributed to a load.
type LoadPart struct {
	Number  int       `json:"number"` // from 1
	Of      int       `json:"of"`     // the number of parts
	Users   int       `json:"users"`
	Host    string    `json:"host,omitempty"`
	StartAt time.Time `json:"startAt,omitzero"` // as configured, the same for all parts

	// The rest is set in a merged result only.
	Measuring time.Time     `json:"measuredFrom,omitzero"`
	Measured  float64       `json:"measuredSeconds,omitempty"`
	TPS       float64       `json:"tps,omitempty"`
	Generator *ProcessUsage `json:"generator,omitempty"`
	Machine   *Machine      `json:"machine,omitempty"`
}

// WorkloadStamp identifies a workload.
type WorkloadStamp struct {
	Name     string `json:"name"`
	SHA256   string `json:"sha256"` // of the file
	Validate bool   `json:"validate"`
	Mix      []Part `json:"mix"`
	// NewDocuments is who reads and changes what users insert: nobody (own) or all (shared); empty if they insert none.
	NewDocuments string `json:"newDocuments,omitempty"`
	// Weights is the text that has replaced the mix of the file; empty for the file's own.
	Weights string `json:"weights,omitempty"`
}

// String returns what tells two workloads apart in a message.
func (w WorkloadStamp) String() string {
	text := fmt.Sprintf("%s, file %.12s, validate %t", w.Name, w.SHA256, w.Validate)
	if w.Weights != "" {
		text += ", weights " + w.Weights
	}
	if w.NewDocuments != "" {
		text += ", new documents " + w.NewDocuments
	}
	return text
}

// Part is a transaction of a mix with its weight.
type Part struct {
	Transaction string  `json:"transaction"`
	Weight      float64 `json:"weight"` // relative to the sum of all weights
}

// Model is how transactions were issued. In the closed model each user waits for the answer, and then for Think, before
// its next transaction. In the open model Rate transactions a second are due, however long answers take, and times
// are measured from when each was due.
type Model struct {
	Kind  string  `json:"kind"` // closed, open
	Users int     `json:"users"`
	Think string  `json:"think,omitempty"` // as configured
	Rate  float64 `json:"rate,omitempty"`
	// Arrivals is how arrivals of the open model are spread: poisson or even; empty if the tool does not report it.
	Arrivals string  `json:"arrivals,omitempty"`
	Every    float64 `json:"everySeconds"`
	// Count is the number of transactions that the run was to measure; 0 if it had a duration.
	Count int64 `json:"count,omitempty"`
	// Consistency says which servers might answer queries; empty: the primary alone.
	Consistency string `json:"consistency,omitempty"`
}

// The kinds of targets, and of models.
const (
	Direct = "direct"
	HTTP   = "http"
	Closed = "closed"
	Open   = "open"
)

// Ending is the reason why a run ended.
type Ending string

const (
	Complete    Ending = "complete"
	Interrupted Ending = "interrupted"
	TargetDied  Ending = "target-died"
)

// DatasetStamp identifies the dataset, as the target describes it.
type DatasetStamp struct {
	Fingerprint string `json:"fingerprint"`
	Scale       string `json:"scale"`
	Profile     string `json:"profile"`
	Seed        uint64 `json:"seed"`
	Securities  int64  `json:"securities"`
	Customers   int64  `json:"customers"`
	Orders      int64  `json:"orders"`
}

// Row is a row of the statistics table: of a transaction, a kind, or all.
// Due = Good + Refused() + Unanswered + Dropped + Waiting.
type Row struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind,omitempty"` // query, update, insert, delete
	Weight float64 `json:"weight"`         // share in the mix, of 1
	Share  float64 `json:"share"`          // share of the total's Count, of 1
	// Due counts the transactions that belong to the measured time: in the open model those that were due in it, in the
	// closed one those that ended in it or were in progress at its end.
	Due   int64 `json:"due"`
	Count int64 `json:"count"` // ended in the measured time
	Good  int64 `json:"good"`  // of Count, did their work
	// Expected counts the refusals that are part of the workload, by reason ("stale" for 412); Unexpected counts all
	// others by problem type, status or error.
	Expected   map[string]int64 `json:"expected,omitempty"`
	Unexpected map[string]int64 `json:"unexpected,omitempty"`
	// Unanswered are those of Unexpected that the target did not answer, or not within the timeout of the request.
	Unanswered int64 `json:"unanswered"`
	// Dropped arrivals found the queue full. Only the total counts them, because no transaction was drawn for them.
	Dropped int64 `json:"dropped,omitempty"`
	// Waiting counts those that had not ended at the end of the measured time, and in the total also arrivals that were
	// never begun, whose transaction is not known.
	Waiting int64 `json:"waiting"`
	Late    int64 `json:"late,omitempty"`      // of Waiting, answered after the measured time
	Empty   int64 `json:"emptyPool,omitempty"` // not called, because the user had nothing of its own to remove

	Latency Latency `json:"latency"` // of Count and Late
	// Histogram has the times in nanoseconds, as an HdrHistogram (V2, deflated, base64), which can be merged with others.
	Histogram string `json:"histogram,omitempty"`

	times *hdrhistogram.Histogram // until the row is finished
}

// Refused returns the number of transactions that were answered with a refusal or with a wrong answer, expected or not.
func (r *Row) Refused() int64 { return r.Count - r.Good - r.Unanswered }

// unexpected returns how many were refused, or not answered, for unexpected reasons.
func (r *Row) unexpected() (n int64) {
	for _, times := range r.Unexpected {
		n += times
	}
	return n
}

// Latency is in microseconds, and read from a histogram of three significant digits: percentiles and Max are at most
// 0.1 % above the true values.
type Latency struct {
	Total float64 `json:"total"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p999"`
}

// Prepared is what users inserted to have orders and customers of their own to delete.
type Prepared struct {
	Orders     int64            `json:"orders"`
	Customers  int64            `json:"customers"`
	Late       int64            `json:"late,omitempty"` // of these, inserted in the measured time
	Unexpected map[string]int64 `json:"unexpected,omitempty"`
}

// Interval is the result of a part of the measured time.
type Interval struct {
	To      float64 `json:"to"` // seconds since measuring began
	Count   int64   `json:"count"`
	Errors  int64   `json:"errors"` // unexpected refusals, and missing answers
	TPS     float64 `json:"tps"`
	Latency Latency `json:"latency"`
}

// Arrivals counts what happened to the arrivals of an open model.
type Arrivals struct {
	Due     int64 `json:"due"`
	Started int64 `json:"started"`
	Dropped int64 `json:"dropped"`          // the queue was full
	Queued  int64 `json:"queued,omitempty"` // never begun, because no user was free until the run ended
	Late    int64 `json:"late"`             // started more than a millisecond after they were due
}

// Usage is what was used during the measured time. In a merged result, Generator.CPU and Host are those of the
// computer where they were highest.
type Usage struct {
	Generator ProcessUsage `json:"generator"`
	// Shared means that the store ran in the process of the load generator.
	Shared   bool          `json:"shared"`
	Service  *ProcessUsage `json:"service,omitempty"`
	Database *ProcessUsage `json:"database,omitempty"` // if it has processes of its own
	Host     *Host         `json:"host,omitempty"`     // of the load generator
	// Others is the share of the processor time of the load generator's computer that programs other than the load
	// generator, the service and the database used, of 1; nil if it is not known.
	Others *float64 `json:"others,omitempty"`
}

// ProcessUsage is what one or more processes used.
type ProcessUsage struct {
	CPUSeconds float64 `json:"cpuSeconds"`
	CPU        float64 `json:"cpu"`                  // share of all cores, of 1
	MemoryPeak int64   `json:"memoryPeak,omitempty"` // the most resident bytes of all samples
}

// Host is what the whole computer used.
type Host struct {
	CPU    float64 `json:"cpu"`    // busy, of 1
	IOWait float64 `json:"ioWait"` // of 1
}

// Machine is the computer of the load generator.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"` // available to the process
	Memory int64  `json:"memory,omitempty"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Go     string `json:"go,omitempty"`
}

// Validity says whether the figures of a run may be quoted.
type Validity struct {
	Valid     bool     `json:"valid"`
	Smoke     bool     `json:"smoke"`               // too short to be valid, or not made for figures
	Unsteady  bool     `json:"unsteady,omitempty"`  // also among the reasons
	Disturbed bool     `json:"disturbed,omitempty"` // by others; also among the reasons
	Reasons   []string `json:"reasons"`
	Notes     []string `json:"notes,omitempty"` // to be published with the figures
}
