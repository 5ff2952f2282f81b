package drive

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/ledger"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/workload"
)

// Plan is how a workload runs.
type Plan struct {
	Definition *workload.Definition
	Users      int      // in the open model, the largest number of arrivals in progress
	Rate       float64  // arrivals a second; 0 selects the closed model
	Arrivals   Arrivals // in the open model
	Ramp       time.Duration
	Duration   time.Duration // measured, after the ramp; 0 with a Count
	Count      int64         // transactions to measure, after the ramp, instead of a Duration; 0 for none
	Think      Think         // in the closed model
	Every      time.Duration // between reports during the run; 0 is none
	Seed       uint64
	// Share is the part of the load that this process issues; Users and Rate are those of the whole load.
	Share   workload.Share
	StartAt time.Time // when the ramp begins; zero is as soon as users are prepared
	// Populates is the dataset that users draw from when they fill a database that has only securities; nil to draw
	// from the dataset of the target.
	Populates *dataset.Dataset
	// Consistency is for services with replicas.
	Consistency Consistency

	// Ledger records each change before it is sent; nil for none.
	Ledger *ledger.Writer
	Break  Break

	// Observer reads what the server of the database counts, for the resources of the result; nil for none.
	Observer store.Observer

	Settings map[string]string // of the store, in addition to those that it reports itself
	Version  string
	Commit   string
	Report   func(result.Interval) // called after each interval but the last; may be nil
	Begun    func(*result.Run)     // called when users begin; may be nil
	Progress func(line string)     // called each second, but never while Report is; may be nil
}

// Errors of a run that ended early. Run returns them with the result until then.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrTargetDied  = errors.New("the target no longer answers")
)

// The largest number of users, and of arrivals a second.
const (
	MaxUsers = 10_000
	MaxRate  = 1_000_000
)

// Arrivals is how the transactions of an open model are spread over time.
type Arrivals string

const (
	Poisson Arrivals = "poisson" // the default: the pauses are exponentially distributed, as between independent clients
	Even    Arrivals = "even"    // the pauses are all the same
)

// Check returns an error if the plan contradicts itself, or its Share or Consistency is invalid.
func (p *Plan) Check() error {
	switch {
	case p.Rate > 0 && p.Think != Think{}:
		return errors.New("--think is for the closed model; with --rate, transactions are due however long answers take")
	case p.Break.Do != nil && (p.Break.At <= 0 || p.Break.At >= p.Duration):
		return errors.New("--at must be above 0 and below --duration; --break cannot be used with --count")
	}
	return cmp.Or(p.Share.Check(p.Users), p.Consistency.Check())
}

func (p *Plan) model() result.Model {
	m := result.Model{Kind: result.Closed, Users: p.Users, Every: p.Every.Seconds(), Consistency: string(p.Consistency),
		Count: p.Count}
	if p.Think != (Think{}) {
		m.Think = p.Think.String()
	}
	if p.Rate > 0 {
		m.Kind, m.Rate, m.Arrivals = result.Open, p.Rate, string(cmp.Or(p.Arrivals, Poisson))
	}
	return m
}

// part returns what the result holds about the share; nil for the whole load.
func (p *Plan) part() *result.LoadPart {
	if p.Share == (workload.Share{}) {
		return nil
	}
	host, _ := os.Hostname() // unknown is empty
	from, to := p.Share.Users(p.Users)
	return &result.LoadPart{
		Number: p.Share.Number, Of: p.Share.Of, Users: to - from, Host: host, StartAt: p.StartAt.UTC(),
	}
}

// late returns an error if the time to start has passed.
func (p *Plan) late() error {
	if late := time.Since(p.StartAt); !p.StartAt.IsZero() && late > 0 {
		return fmt.Errorf("--start-at %s was %s ago: choose a later time", p.StartAt.Format(time.RFC3339),
			late.Round(time.Second))
	}
	return nil
}

// A Consistency is how fresh the answers to a user's queries must be, and so which servers of a service with replicas
// may give them: Primary, Token, or stale=TIME, where TIME is the greatest age that a query accepts.
type Consistency string

const (
	Primary Consistency = ""      // queries are sent without Consistency-Token and Max-Staleness
	Token   Consistency = "token" // a query sends the token of the user's last write, if there is one
	stale               = "stale="
)

// ConsistencyForm describes the texts of a Consistency; primary stands for the empty text of Primary.
const ConsistencyForm = "primary, token, or stale=TIME with a time such as 2s or 500ms"

var consistencies = regexp.MustCompile(`^(token|stale=\d{1,9}(ms|s))?$`)

// Check returns an error for a text that is no Consistency.
func (c Consistency) Check() error {
	if !consistencies.MatchString(string(c)) {
		return fmt.Errorf("the consistency is %q, but must be %s", string(c), ConsistencyForm)
	}
	return nil
}
