package workload

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"brokerage/internal/store"
)

// Config is how a workload runs.
type Config struct {
	Definition *Definition
	Users      int     // in the open model, the largest number of arrivals in progress
	Rate       float64 // arrivals a second; 0 selects the closed model
	Ramp       time.Duration
	Duration   time.Duration // measured, after the ramp; 0 with a Count
	Count      int64         // transactions to measure, after the ramp, instead of a Duration; 0 for none
	Think      Think         // in the closed model
	Every      time.Duration // between reports during the run; 0 is none
	Seed       uint64
	// Share is the part of the load that this process issues; Users and Rate are those of the whole load.
	Share   Share
	StartAt time.Time // when users begin; zero is at once
	// Consistency is for services with replicas.
	Consistency Consistency

	// Observer reads what the server of the database counts, for the resources of the result; nil for none.
	Observer store.Observer

	Settings map[string]string // of the store, in addition to those that it reports itself
	Version  string
	Commit   string
	Report   func(Interval) // called at the end of each interval; may be nil
	Begun    func(*Run)     // called when users begin; may be nil
	Live     func(Moment)   // called each second, by the goroutine that calls Report; may be nil
}

// Moment is the state of a run. Its figures are those of the last second.
type Moment struct {
	Measuring bool          // false while users prepare and warm up; then there are no figures
	Left      time.Duration // of the ramp or of the measured time; 0 if users need longer
	Remaining int64         // transactions until the Count of the run
	Prepared  int64         // documents that users have inserted before anything counts,
	ToPrepare int64         // of so many
	TPS       float64
	P50, P99  float64 // microseconds
	Errors    int64   // unexpected refusals and missing answers, since measuring began
}

// The errors of a run that ended early. They come with what was measured until then.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrTargetDied  = errors.New("the target no longer answers")
)

// The largest number of users, and of arrivals a second.
const (
	MaxUsers = 10_000
	MaxRate  = 1_000_000
)

// Check returns an error if the configuration cannot run.
func (c *Config) Check() error {
	switch {
	case c.Definition == nil:
		return errors.New("there is no workload")
	case c.Users < 1 || c.Users > MaxUsers:
		return fmt.Errorf("the number of users is %d, but must be from 1 to %d", c.Users, MaxUsers)
	case !(c.Rate >= 0 && c.Rate <= MaxRate):
		return fmt.Errorf("the rate is %v, but must be from 0 to %d a second", c.Rate, MaxRate)
	case c.Count < 0:
		return fmt.Errorf("the number of transactions is %d, but must be at least 1", c.Count)
	case c.Count > 0 && c.Duration != 0:
		return errors.New("a run has a duration or a number of transactions, not both")
	case c.Count == 0 && c.Duration <= 0:
		return errors.New("the duration must be above 0")
	case c.Ramp < 0 || c.Every < 0:
		return errors.New("ramp and report interval must not be below 0")
	case c.Rate > 0 && c.Think != Think{}:
		return errors.New("a think time is for the closed model; with a rate, transactions are due at constant intervals")
	}
	return cmp.Or(c.Think.check(), c.Share.check(c.Users), c.Consistency.Check(), c.Definition.requireEnough(c.most()),
		c.Definition.Check())
}

// most returns a number of transactions that the run cannot exceed.
func (c *Config) most() float64 {
	rate := cmp.Or(c.Rate, MaxRate*float64(max(c.Share.Of, 1)))
	most := rate * (c.Ramp + c.Duration).Seconds()
	return math.Ceil(most) + float64(c.Count)
}

func (c *Config) model() Model {
	m := Model{
		Kind: Closed, Users: c.Users, Think: c.Think.Mean.Seconds(), Every: c.Every.Seconds(), Consistency: c.Consistency,
		Count: c.Count,
	}
	if c.Think.Distribution != "" {
		m.ThinkText = c.Think.String()
	}
	if c.Rate > 0 {
		m.Kind, m.Rate = Open, c.Rate
	}
	return m
}
