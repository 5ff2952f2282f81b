package workload

import (
	"errors"
	"fmt"
	"time"
)

// Config is how a workload runs.
type Config struct {
	Definition *Definition
	Users      int     // in the open model, the largest number of arrivals in progress
	Rate       float64 // arrivals a second; 0 selects the closed model
	Ramp       time.Duration
	Duration   time.Duration // measured, after the ramp
	Think      time.Duration // between an answer and the next request of a user, in the closed model
	Every      time.Duration // between reports during the run; 0 is none
	Seed       uint64
	// Share is the part of the load that this process issues; Users and Rate are those of the whole load.
	Share   Share
	StartAt time.Time // when users begin; zero is at once
	// Consistency is for services with replicas.
	Consistency Consistency

	Settings map[string]string // of the store, in addition to those that it reports itself
	Version  string
	Commit   string
	Report   func(Interval) // called at the end of each interval; may be nil
	Begun    func(*Run)     // called when users begin; may be nil
	Live     func(Moment)   // called each second, by the goroutine that calls Report; may be nil

	shared bool // the service runs in this process, which then needs all processors
}

// Moment is the state of a run. Its figures are those of the last second.
type Moment struct {
	Measuring bool          // false while users prepare and warm up; then there are no figures
	Left      time.Duration // of the ramp or of the measured time; 0 if users need longer
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
	case c.Duration <= 0:
		return errors.New("the duration must be above 0")
	case c.Ramp < 0 || c.Think < 0 || c.Every < 0:
		return errors.New("ramp, think time and report interval must not be below 0")
	case c.Rate > 0 && c.Think > 0:
		return errors.New("a think time is for the closed model; with a rate, transactions are due at constant intervals")
	}
	if err := c.Share.check(c.Users); err != nil {
		return err
	}
	if err := c.Consistency.Check(); err != nil {
		return err
	}
	return c.Definition.Check()
}

func (c *Config) model() Model {
	m := Model{
		Kind: Closed, Users: c.Users, Think: c.Think.Seconds(), Every: c.Every.Seconds(), Consistency: c.Consistency,
	}
	if c.Rate > 0 {
		m.Kind, m.Rate = Open, c.Rate
	}
	return m
}
