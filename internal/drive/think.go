package drive

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"brokerage/internal/workload"
)

// Think is the pause of a user between an answer and its next request: always Mean, unless it has a distribution. The
// zero value is no pause.
type Think struct {
	Distribution string        // empty, Uniform, Normal or Exponential
	Mean         time.Duration // of Normal before what is below 0 is drawn again
	Spread       time.Duration // of Uniform to both sides of Mean; of Normal its standard deviation
}

// Exponential is the distribution of the pauses between independent events.
const Exponential = "exponential"

// ThinkForm describes what UnmarshalText accepts.
const ThinkForm = "TIME, TIME..TIME (uniform), exponential:MEAN or normal:MEAN,DEVIATION"

const maxThink = 24 * time.Hour

// UnmarshalText parses a text in ThinkForm.
func (t *Think) UnmarshalText(text []byte) error {
	parsed, ok := parseThink(string(text))
	if !ok {
		return fmt.Errorf("%q is not %s, with times such as 500ms, of at most %s", text, ThinkForm, maxThink)
	}
	*t = parsed
	return nil
}

func parseThink(text string) (t Think, ok bool) {
	distribution, rest, named := strings.Cut(text, ":")
	if !named {
		distribution, rest = "", text
	}
	separator := map[string]string{"": "..", workload.Normal: ","}[distribution]
	first, second, two := rest, "", false
	if separator != "" {
		first, second, two = strings.Cut(rest, separator)
	}
	a, err := time.ParseDuration(first)
	b := a
	if err == nil && two {
		b, err = time.ParseDuration(second)
	}
	ok = err == nil && a >= 0 && b >= 0 && max(a, b) <= maxThink
	switch {
	case named && distribution == Exponential:
		return Think{Exponential, a, 0}, ok && a > 0
	case named && distribution == workload.Normal:
		return Think{workload.Normal, a, b}, ok && two && a > 0 && b > 0
	case named:
		return t, false
	case two:
		return Think{workload.Uniform, (a + b) / 2, (b - a) / 2}, ok && a < b
	default:
		return Think{Mean: a}, ok
	}
}

// String returns the text that UnmarshalText accepts.
func (t Think) String() string {
	switch t.Distribution {
	case workload.Uniform:
		return fmt.Sprintf("%s..%s", t.Mean-t.Spread, t.Mean+t.Spread)
	case Exponential:
		return fmt.Sprintf("%s:%s", Exponential, t.Mean)
	case workload.Normal:
		return fmt.Sprintf("%s:%s,%s", workload.Normal, t.Mean, t.Spread)
	default:
		return t.Mean.String()
	}
}

// check returns an error for a pause that users cannot make.
func (t Think) check() error {
	var same Think
	if err := same.UnmarshalText([]byte(t.String())); err != nil {
		return fmt.Errorf("think time: %w", err)
	}
	return nil
}

// draw returns the next pause. A fixed one draws nothing.
func (t Think) draw(r *rand.Rand) time.Duration {
	switch t.Distribution {
	case workload.Uniform:
		return t.Mean - t.Spread + time.Duration(r.Int64N(2*int64(t.Spread)+1))
	case Exponential:
		return time.Duration(r.ExpFloat64() * float64(t.Mean))
	case workload.Normal:
		for {
			if pause := t.Mean + time.Duration(r.NormFloat64()*float64(t.Spread)); pause >= 0 {
				return pause
			}
		}
	default:
		return t.Mean
	}
}
