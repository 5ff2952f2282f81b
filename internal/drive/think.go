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
	if err != nil || pause < 0 || pause > maxThink || isExponential && pause == 0 {
		return fmt.Errorf("%q is not %s: 0s to %s such as 500ms, MEAN above 0s", text, ThinkForm, maxThink)
	}
	*t = Think{pause, isExponential}
	return nil
}

// String returns the text that UnmarshalText accepts.
func (t Think) String() string {
	if t.Exponential {
		return exponential + t.Mean.String()
	}
	return t.Mean.String()
}

// draw returns the next pause. A fixed pause uses no random number.
func (t Think) draw(r *rand.Rand) time.Duration {
	if t.Exponential {
		return time.Duration(r.ExpFloat64() * float64(t.Mean))
	}
	return t.Mean
}
