package drive

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// A Goal is what a target must keep to at a rate: limits of times and of the share of errors.
type Goal struct {
	text   string
	limits []limit
}

// limit is the share of transactions that may take longer than a time, or fail.
type limit struct {
	text        string
	transaction string // "" for all
	of          string
	share       float64
	most        time.Duration
	needs       int64 // transactions of a try
}

// beyond are the shares of transactions that are beyond a quantile.
var beyond = map[string]float64{"p50": .5, "p90": .1, "p95": .05, "p99": .01, "p99.9": .001}

const (
	goalErrors = "errors"
	// leastBeyond is how many transactions of a try must be able to be beyond a quantile, or else a few decide.
	leastBeyond = 100
	errorsNeed  = 10_000
)

// ParseGoal reads a goal such as p99=20ms, get_order:p99=5ms or errors=0.1%, or several separated by commas, which must
// all be met.
func ParseGoal(text string) (Goal, error) {
	g := Goal{text: text}
	for one := range strings.SplitSeq(text, ",") {
		l, err := parseLimit(one)
		if err != nil {
			return Goal{}, fmt.Errorf("%q is not a goal such as p99=20ms, get_order:p99=5ms or errors=0.1%%: a limit of p50, "+
				"p90, p95, p99, p99.9 or errors", one)
		}
		if slices.ContainsFunc(g.limits, func(o limit) bool { return o.transaction == l.transaction && o.of == l.of }) {
			return Goal{}, fmt.Errorf("%s has two limits", strings.TrimPrefix(l.transaction+":"+l.of, ":"))
		}
		g.limits = append(g.limits, l)
	}
	if !slices.ContainsFunc(g.limits, func(l limit) bool { return l.of == goalErrors && l.transaction == "" }) {
		g.limits = append(g.limits, limit{text: goalErrors, of: goalErrors, share: result.MostUnexpected})
	}
	return g, nil
}

func parseLimit(text string) (l limit, err error) {
	name, most, _ := strings.Cut(text, "=")
	l.text, l.of = text, name
	if transaction, of, ok := strings.Cut(name, ":"); ok {
		l.transaction, l.of = transaction, of
	}
	percent, isShare := strings.CutSuffix(most, "%")
	if l.of == goalErrors && isShare {
		l.share, err = strconv.ParseFloat(percent, 64)
		l.share /= 100
		l.needs = errorsNeed
		if err == nil && !(l.share >= 0 && l.share < 1) {
			err = errors.New("not below 100 %")
		}
		return l, err
	}
	if l.share = beyond[l.of]; l.share == 0 {
		return l, errors.New("unknown")
	}
	l.needs = int64(leastBeyond/l.share + .5)
	l.most, err = time.ParseDuration(most)
	if err == nil && l.most <= 0 {
		err = errors.New("not above 0")
	}
	return l, err
}

func (g Goal) String() string { return g.text }

// Check returns an error if the goal limits a transaction that a workload does not run.
func (g Goal) Check(d *workload.Definition) error {
	for _, l := range g.limits {
		runs := func(p result.Part) bool { return p.Transaction == l.transaction && p.Weight > 0 }
		if l.transaction != "" && !slices.ContainsFunc(d.Mix, runs) {
			return fmt.Errorf("%s: the workload %s does not run %s", l.text, d.Name, l.transaction)
		}
	}
	return nil
}

// slowest returns the longest time that the goal allows.
func (g Goal) slowest() (longest time.Duration) {
	for _, l := range g.limits {
		longest = max(longest, l.most)
	}
	return longest
}

// try counts the transactions of one try of a rate.
type try struct {
	all, beyond []int64 // by limit
	waiting     int64   // at the end of a slice at most
}

// count adds a slice.
func (t *try) count(g Goal, s *Sliced, mix []workload.Mixed) {
	if t.all == nil {
		t.all, t.beyond = make([]int64, len(g.limits)), make([]int64, len(g.limits))
	}
	waiting := s.Lost
	for _, r := range s.Records {
		if r.Waiting {
			waiting++
		}
		for i, l := range g.limits {
			if l.transaction != "" && l.transaction != mix[r.Transaction].Name {
				continue
			}
			t.all[i]++
			if l.of == goalErrors && r.Outcome.Failed() || l.of != goalErrors && r.Took > l.most {
				t.beyond[i]++
			}
		}
	}
	t.waiting = max(t.waiting, waiting)
}

// judge returns why a try has missed the goal, "" if it has met it; decided is false if it needs more transactions.
// Whatever the goal, the rate must be kept up: at the end no more transactions wait than can be in progress.
func (t *try) judge(g Goal, users int) (missed string, decided bool) {
	if t.waiting > int64(users) {
		return fmt.Sprintf("%d were waiting at the end", t.waiting), true
	}
	enough := true
	for i, l := range g.limits {
		enough = enough && t.all[i] >= max(l.needs, 1)
		if float64(t.beyond[i]) <= l.share*float64(t.all[i]) {
			continue
		}
		share := 100 * float64(t.beyond[i]) / float64(t.all[i])
		missed = fmt.Sprintf("%s: %.3g %% took longer", l.text, share)
		if l.of == goalErrors {
			missed = fmt.Sprintf("%s: %.3g %% failed", l.text, share)
		}
		if t.beyond[i] >= leastBeyond {
			return missed, true
		}
	}
	return missed, enough
}
