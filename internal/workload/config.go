package workload

import (
	"errors"
	"fmt"
	"time"
)

// Config says how a workload is run.
type Config struct {
	Definition *Definition
	Users      int     // in the open model, how many arrivals are worked on at once at most
	Rate       float64 // arrivals a second; 0 is the closed model
	Ramp       time.Duration
	Duration   time.Duration // measured, after the ramp
	Think      time.Duration // between an answer and the next request of a user, in the closed model
	Every      time.Duration // of reports on the way; 0 is none
	Seed       uint64

	Settings map[string]string // what is known of the store beside what it says itself
	Version  string
	Commit   string
	Report   func(Interval) // is told each interval at its end; may be nil
	Begun    func(*Run)     // is told what it is about when users begin; may be nil
	Live     func(Moment)   // is told each second how it goes, by the goroutine of Report; may be nil

	shared bool // the service is in this process, which then needs all processors
}

// Moment is how a run goes. The figures are those of the last second.
type Moment struct {
	Measuring bool          // else users prepare and warm up, and there are no figures
	Left      time.Duration // of the ramp or of what is measured, 0 when users need longer
	TPS       float64
	P50, P99  float64 // microseconds
	Errors    int64   // unexpected refusals and no answers, since measuring began
}

// The errors of a run that began and ended early: what was measured until then
// comes with them.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrTargetDied  = errors.New("the target does not answer any more")
)

// What a run may be asked for.
const (
	MaxUsers = 10_000
	MaxRate  = 1_000_000
)

// Check refuses what cannot be run.
func (c *Config) Check() error {
	switch {
	case c.Definition == nil:
		return errors.New("there is no workload")
	case c.Users < 1 || c.Users > MaxUsers:
		return fmt.Errorf("the number of users is %d, and must be from 1 to %d", c.Users, MaxUsers)
	case !(c.Rate >= 0 && c.Rate <= MaxRate):
		return fmt.Errorf("the rate is %v, and must be from 0 to %d a second", c.Rate, MaxRate)
	case c.Duration <= 0:
		return errors.New("the duration must be above 0")
	case c.Ramp < 0 || c.Think < 0 || c.Every < 0:
		return errors.New("a time must not be below 0")
	case c.Rate > 0 && c.Think > 0:
		return errors.New("a think time is for users who wait; with a rate, arrivals are due at their time")
	}
	return c.Definition.Check()
}

func (c *Config) model() Model {
	m := Model{Kind: Closed, Users: c.Users, Think: c.Think.Seconds(), Every: c.Every.Seconds()}
	if c.Rate > 0 {
		m.Kind, m.Rate = Open, c.Rate
	}
	return m
}
