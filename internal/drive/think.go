package drive

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Think is the pause of a user between an answer and its next request: always Mean, or Exponential with that mean, as
// between independent events. The zero value is no pause.
type Think struct {
	Mean        time.Duration
	Exponential bool
}

// ThinkForm describes what UnmarshalText accepts.
const ThinkForm = "TIME or exponential:MEAN"

const (
	exponential = "exponential:"
	maxThink    = 24 * time.Hour
)

// UnmarshalText parses a text in ThinkForm.
func (t *Think) UnmarshalText(text []byte) error {
	mean, isExponential := strings.CutPrefix(string(text), exponential)
	pause, err := time.ParseDuration(mean)
	parsed := Think{pause, isExponential}
	if err != nil || parsed.check() != nil {
		return fmt.Errorf("%q is not %s, with a time such as 500ms, of at most %s", text, ThinkForm, maxThink)
	}
	*t = parsed
	return nil
}

// String returns the text that UnmarshalText accepts.
func (t Think) String() string {
	if t.Exponential {
		return exponential + t.Mean.String()
	}
	return t.Mean.String()
}

// check returns an error for a pause that users cannot make.
func (t Think) check() error {
	if t.Mean < 0 || t.Mean > maxThink || t.Exponential && t.Mean == 0 {
		return fmt.Errorf("a think time of %s is not from 0 to %s", t, maxThink)
	}
	return nil
}

// draw returns the next pause. A fixed one draws nothing.
func (t Think) draw(r *rand.Rand) time.Duration {
	if t.Exponential {
		return time.Duration(r.ExpFloat64() * float64(t.Mean))
	}
	return t.Mean
}
