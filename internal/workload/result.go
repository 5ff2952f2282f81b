package workload

import (
	"time"
)

// RunFormat names the form of a result. It goes up when a reader of the old form
// would misread the new one; fields that are added do not count.
const RunFormat = "brokerage-run/1"

// Run is the result of one run of a workload, whichever tool ran it. All times
// that transactions took are in microseconds.
type Run struct {
	Format string `json:"format"`
	Tool   Tool   `json:"tool"`
	Commit string `json:"commit,omitempty"` // of this project, where it is known

	Target   Target        `json:"target"`
	Workload WorkloadStamp `json:"workload"`
	Model    Model         `json:"model"`

	Started  time.Time `json:"started"`
	Ramp     float64   `json:"rampSeconds"`     // as asked for
	Duration float64   `json:"durationSeconds"` // as asked for
	Warmed   float64   `json:"warmedSeconds"`   // from the first load to the first transaction that counts
	Measured float64   `json:"measuredSeconds"`
	Seed     uint64    `json:"seed"`
	Ended    Ending    `json:"ended"` // why

	Dataset DatasetStamp `json:"dataset"`
	// Settings are those of durability and of the store, as they are called
	// there. Runs of different ones are not compared without saying so.
	Settings map[string]string `json:"settings"`

	Transactions []Row     `json:"transactions"` // in the order of the mix
	Kinds        []Row     `json:"kinds"`        // query, update, insert, delete: those there are
	Total        Row       `json:"total"`
	Prepared     *Prepared `json:"prepared,omitempty"`

	// Of what was answered within the measured time, a second: as expected, which
	// includes expected refusals; and, of these, what did its work.
	TPS     float64 `json:"tps"`
	TPM     float64 `json:"tpm"`
	Goodput float64 `json:"goodput"`

	Intervals []Interval `json:"intervals"` // one for each --every
	PerSecond []int64    `json:"perSecond"` // transactions in each second, for steadiness
	Arrivals  *Arrivals  `json:"arrivals,omitempty"`

	Usage    Usage    `json:"usage"`
	Machine  Machine  `json:"machine"` // of the load generator
	Validity Validity `json:"validity"`
}

// Tool is what made the load.
type Tool struct {
	Name    string `json:"name"` // drive, k6
	Version string `json:"version"`
}

// Target is what the load went to.
type Target struct {
	Kind   string `json:"kind"`   // directTarget, httpTarget
	Engine string `json:"engine"` // sqlite, postgres, ...; empty where a service does not say
	URL    string `json:"url"`    // without user, password and parameters
	// SameHost: the load generator took processor time away from the service.
	SameHost bool   `json:"sameHost"`
	Version  string `json:"version,omitempty"` // of the service
}

// The kinds of targets.
const (
	directTarget = "direct"
	httpTarget   = "http"
)

// WorkloadStamp is which workload it was.
type WorkloadStamp struct {
	Name     string `json:"name"`
	SHA256   string `json:"sha256"` // of the file
	Validate bool   `json:"validate"`
	Mix      []Part `json:"mix"`
}

// Model is how transactions were issued. Closed: by users, each of which waits
// for the answer and for Think before the next. Open: Rate arrivals a second,
// whatever the answers do, and times counted from when each was due.
type Model struct {
	Kind  string  `json:"kind"` // closed, open
	Users int     `json:"users"`
	Think float64 `json:"thinkSeconds"`
	Rate  float64 `json:"rate,omitempty"`
	Every float64 `json:"everySeconds"`
}

// Closed and Open are the kinds of models.
const (
	Closed = "closed"
	Open   = "open"
)

// Ending is why a run ended.
type Ending string

const (
	Complete    Ending = "complete"
	Interrupted Ending = "interrupted"
	TargetDied  Ending = "target-died"
)

// DatasetStamp is what was in the database, as the service says.
type DatasetStamp struct {
	Fingerprint string `json:"fingerprint"`
	Scale       string `json:"scale"`
	Profile     string `json:"profile"`
	Seed        uint64 `json:"seed"`
	Securities  int64  `json:"securities"`
	Customers   int64  `json:"customers"`
	Orders      int64  `json:"orders"`
}

// Row is a line of the statistics table: a transaction, a kind, or all. Its sum
// closes: Due = Good + Refused() + Unanswered + Dropped + Waiting.
type Row struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind,omitempty"` // query, update, insert, delete
	Weight float64 `json:"weight"`         // share that was asked for, of 1
	Share  float64 `json:"share"`          // and that was reached
	// Due are the transactions that should have been done in the measured time: of
	// an open model those that were due in it, of a closed one those that ended in
	// it or were under way at its end.
	Due   int64 `json:"due"`
	Count int64 `json:"count"` // ended in the measured time; of them,
	Good  int64 `json:"good"`  // did their work
	// Refusals that a workload has to expect, by reason (409 by its reason, stale
	// for 412), and what it has not to, by problem type, status or error.
	Expected   map[string]int64 `json:"expected,omitempty"`
	Unexpected map[string]int64 `json:"unexpected,omitempty"`
	// Unanswered are those of Unexpected that the target did not answer: within the
	// request's own timeout, or because it broke the connection or took none.
	Unanswered int64 `json:"unanswered"`
	// Dropped found too many others outstanding. Only the total has them: no
	// transaction was drawn.
	Dropped int64 `json:"dropped,omitempty"`
	// Waiting had not ended at the end of the measured time. That of the total also
	// has those of which it is not known what transaction they were: arrivals that
	// were never begun, and what k6 has cut off.
	Waiting int64 `json:"waiting"`
	Late    int64 `json:"late,omitempty"`      // of Waiting, answered after the measured time
	Empty   int64 `json:"emptyPool,omitempty"` // drawn again, there was nothing of one's own to work on

	Latency   Latency    `json:"latency"` // of Count and Late: a slow answer counts, whenever it comes
	Histogram *Histogram `json:"histogram,omitempty"`
}

// Refused returns how many were answered, but not as they were to be: expected or
// unexpected, with a refusal or with another content.
func (r *Row) Refused() int64 { return r.Count - r.Good - r.Unanswered }

// Latency is in microseconds. Percentiles are the highest value of the class of
// the histogram in which they lie, never above Max.
type Latency struct {
	Total float64 `json:"total"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p999"` // 0 in results of older builds
}

// Histogram is a distribution that can be added to another.
type Histogram struct {
	Method   string `json:"method"`   // HDRMethod
	Unit     string `json:"unit"`     // of the values: nanoseconds
	Encoding string `json:"encoding"` // hdr-v2-deflate-base64
	Data     string `json:"data"`
}

// Prepared is what users inserted before anything counted, so that they have
// orders and customers of their own to delete.
type Prepared struct {
	Seconds    float64          `json:"seconds"`
	Orders     int64            `json:"orders"`
	Customers  int64            `json:"customers"`
	Unexpected map[string]int64 `json:"unexpected,omitempty"`
}

// add adds counts; the caller says how seconds combine.
func (p *Prepared) add(other *Prepared, seconds float64) {
	p.Orders += other.Orders
	p.Customers += other.Customers
	p.Seconds = seconds
	for reason, n := range other.Unexpected {
		p.refused(reason, n)
	}
}

func (p *Prepared) refused(reason string, n int64) {
	if p.Unexpected == nil {
		p.Unexpected = make(map[string]int64)
	}
	p.Unexpected[reason] += n
}

// Interval is a part of the measured time.
type Interval struct {
	From    float64 `json:"from"` // seconds since measuring began
	To      float64 `json:"to"`
	Count   int64   `json:"count"`
	Good    int64   `json:"good"`
	TPS     float64 `json:"tps"`
	Latency Latency `json:"latency"`
	Rows    []Row   `json:"rows,omitempty"` // without histograms
}

// Arrivals is what became of an open model's schedule.
type Arrivals struct {
	Due     int64 `json:"due"`
	Started int64 `json:"started"`
	Dropped int64 `json:"dropped"`          // too many were outstanding
	Queued  int64 `json:"queued,omitempty"` // never begun: no user was free until the run ended
	Late    int64 `json:"late"`             // started more than a millisecond after they were due
}

// Usage is what the run cost, from the beginning of measuring to its end.
type Usage struct {
	Generator Process `json:"generator"`
	// Shared: the store ran in the process of the load generator.
	Shared   bool     `json:"shared"`
	Service  *Process `json:"service,omitempty"`
	Database *Process `json:"database,omitempty"` // where it has processes of its own
	Host     *Host    `json:"host,omitempty"`     // of the load generator
	// Figures are the service's and its store's own, as their metrics are called:
	// pool, caches, commits.
	Figures map[string]Change `json:"figures,omitempty"`
}

// Process is what one process (or several of one kind) used.
type Process struct {
	CPUSeconds float64 `json:"cpuSeconds"`
	CPU        float64 `json:"cpu"` // of all cores, of 1
	// Memory in use: resident, in bytes.
	MemoryBefore int64 `json:"memoryBefore,omitempty"`
	MemoryAfter  int64 `json:"memoryAfter,omitempty"`
	MemoryPeak   int64 `json:"memoryPeak,omitempty"` // since the process began
}

// Host is the whole computer.
type Host struct {
	CPU        float64 `json:"cpu"`    // busy, of 1
	IOWait     float64 `json:"ioWait"` // of 1
	ReadBytes  int64   `json:"readBytes"`
	WriteBytes int64   `json:"writeBytes"`
}

// Change is a figure before and after.
type Change struct {
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Machine is what a run ran on.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"` // that the process may use
	Memory int64  `json:"memory,omitempty"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Go     string `json:"go,omitempty"`
}

// Validity says whether a run may be quoted.
type Validity struct {
	Valid    bool     `json:"valid"`
	Smoke    bool     `json:"smoke"`              // too short to be valid, and not meant to be
	Unsteady bool     `json:"unsteady,omitempty"` // which is among the reasons
	Reasons  []string `json:"reasons"`
	Notes    []string `json:"notes,omitempty"` // what does not make it invalid, and belongs beside its figures
}

// Tier is what the application tier costs: the same workload on the same store,
// with and without the service in between, by turns.
type Tier struct {
	Format       string    `json:"format"` // TierFormat
	Direct       Run       `json:"direct"` // the turns of each taken together
	HTTP         Run       `json:"http"`
	Slices       int       `json:"slices"` // of each
	Transactions []TierRow `json:"transactions"`
	Total        TierRow   `json:"total"`
}

// TierFormat names the form of such a comparison.
const TierFormat = "brokerage-tier/1"

// TierRow compares one transaction. Ratios are HTTP by direct.
type TierRow struct {
	Name       string  `json:"name"`
	DirectMean float64 `json:"directMean"` // microseconds
	HTTPMean   float64 `json:"httpMean"`
	Mean       float64 `json:"meanRatio"`
	DirectP99  float64 `json:"directP99"`
	HTTPP99    float64 `json:"httpP99"`
	P99        float64 `json:"p99Ratio"`
	// Of the total only: processor time of all processes a transaction, in
	// microseconds, and transactions a second.
	DirectCPU  float64 `json:"directCPU,omitempty"`
	HTTPCPU    float64 `json:"httpCPU,omitempty"`
	CPU        float64 `json:"cpuRatio,omitempty"`
	DirectTPS  float64 `json:"directTPS,omitempty"`
	HTTPTPS    float64 `json:"httpTPS,omitempty"`
	Throughput float64 `json:"tpsRatio,omitempty"`
}
