package drive

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/result"
)

// A Goal is what a target must keep to at a rate: limits of latencies and of the share of errors.
type Goal struct {
	text   string
	limits []limit
}

type limit struct {
	of   string
	most float64 // microseconds, or a share of 1
}

// latencies are the latencies that a goal can limit.
var latencies = map[string]func(result.Latency) float64{
	"mean": func(l result.Latency) float64 { return l.Mean }, "max": func(l result.Latency) float64 { return l.Max },
	"p50": func(l result.Latency) float64 { return l.P50 }, "p90": func(l result.Latency) float64 { return l.P90 },
	"p95": func(l result.Latency) float64 { return l.P95 }, "p99": func(l result.Latency) float64 { return l.P99 },
	"p99.9": func(l result.Latency) float64 { return l.P999 },
}

const goalErrors = "errors"

// ParseGoal reads a goal such as p99=20ms or errors=0.1%, or several separated by commas, which must all be met.
func ParseGoal(text string) (Goal, error) {
	g := Goal{text: text}
	for one := range strings.SplitSeq(text, ",") {
		l, err := parseLimit(one)
		if err != nil {
			return Goal{}, err
		}
		for _, other := range g.limits {
			if other.of == l.of {
				return Goal{}, fmt.Errorf("%s has two limits", l.of)
			}
		}
		g.limits = append(g.limits, l)
	}
	return g, nil
}

func parseLimit(text string) (l limit, err error) {
	of, most, _ := strings.Cut(text, "=")
	l.of = of
	switch percent, isShare := strings.CutSuffix(most, "%"); {
	case of == goalErrors && isShare:
		l.most, err = strconv.ParseFloat(percent, 64)
		l.most /= 100
		if err == nil && !(l.most >= 0 && l.most < 1) {
			err = errors.New("not below 100 %")
		}
	case latencies[of] != nil:
		var longest time.Duration
		longest, err = time.ParseDuration(most)
		l.most = float64(longest) / 1e3
		if err == nil && longest <= 0 {
			err = errors.New("not above 0")
		}
	default:
		err = errors.New("unknown")
	}
	if err != nil {
		return l, fmt.Errorf("%q is not a goal such as p99=20ms or errors=0.1%%: a limit of mean, p50, p90, p95, p99, "+
			"p99.9, max or errors", text)
	}
	return l, nil
}

func (g Goal) String() string { return g.text }

// missed returns why a run in the open model does not meet the goal, or "". Whatever the goal, its rate must be kept
// up: errors are limited as in a valid run, and at the end no more transactions wait than can be in progress.
func (g Goal) missed(r *result.Run) string {
	errorLimit := result.MostUnexpected
	for _, l := range g.limits {
		if l.of == goalErrors {
			errorLimit = l.most
		}
	}
	if share := r.ErrorShare(); share > errorLimit {
		return fmt.Sprintf("errors %.3g %%", 100*share)
	}
	for _, l := range g.limits {
		if of := latencies[l.of]; of != nil && of(r.Total.Latency) > l.most {
			return l.of + " " + result.Milli(of(r.Total.Latency)) + " ms"
		}
	}
	switch {
	case r.Total.Count == 0:
		return "nothing was measured"
	case r.Total.Waiting > int64(r.Model.Users):
		return fmt.Sprintf("%d were waiting at the end", r.Total.Waiting)
	}
	return ""
}
