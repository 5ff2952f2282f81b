package drive

import (
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
	share       float64
	most        time.Duration // 0 for a limit of failures
	needs       int64         // transactions of a try
}

// beyond are the shares of transactions that are beyond a quantile.
var beyond = map[string]float64{"p50": .5, "p90": .1, "p95": .05, "p99": .01, "p99.9": .001}

const (
	// A try has enough transactions for leastBeyond of them to be beyond a quantile: a few alone must not decide.
	leastBeyond = 100
	errorsNeed  = 10_000
)

// ParseGoal reads a goal such as p99=20ms, get_order:p99=5ms or errors=0.1%, or several separated by commas, which must
// all be met.
func ParseGoal(text string) (Goal, error) {
	g := Goal{text: text}
	for one := range strings.SplitSeq(text, ",") {
		l, ok := parseLimit(one)
		if !ok {
			return Goal{}, fmt.Errorf("%q is not a goal such as p99=20ms, get_order:p99=5ms or errors=0.1%%; limit p50, p90, "+
				"p95, p99, p99.9 or errors", one)
		}
		g.limits = append(g.limits, l)
	}
	if !slices.ContainsFunc(g.limits, func(l limit) bool { return l.most == 0 && l.transaction == "" }) {
		g.limits = append(g.limits, limit{text: "errors", share: result.MostUnexpected, needs: 1})
	}
	return g, nil
}

func parseLimit(text string) (l limit, ok bool) {
	name, most, _ := strings.Cut(text, "=")
	transaction, of, found := strings.Cut(name, ":")
	if !found {
		transaction, of = "", name
	}
	l = limit{text: text, transaction: transaction, share: beyond[of]}
	if percent, isShare := strings.CutSuffix(most, "%"); isShare && of == "errors" {
		failed, err := strconv.ParseFloat(percent, 64)
		l.share, l.needs = failed/100, errorsNeed
		return l, err == nil && failed >= 0 && failed < 100
	}
	var err error
	l.most, err = time.ParseDuration(most)
	l.needs = int64(leastBeyond/l.share + .5)
	return l, err == nil && l.most > 0 && l.share > 0
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

// counted is the number of transactions of a try that a limit concerns, and the number of these over the limit.
type counted struct{ all, over int64 }

// count adds records to the counts of a try, one for each limit.
func (g Goal) count(counts []counted, records []result.Record, mix []workload.Mixed) {
	for i, l := range g.limits {
		for _, r := range records {
			if l.transaction != "" && l.transaction != mix[r.Transaction].Name {
				continue
			}
			counts[i].all++
			if l.most == 0 && r.Outcome.Failed() || l.most > 0 && r.Took > l.most {
				counts[i].over++
			}
		}
	}
}

// judge returns why the transactions of a try have missed the goal, "" if they have met it; decided is false if the
// goal needs more of them.
func (g Goal) judge(counts []counted) (missed string, decided bool) {
	decided = true
	for i, l := range g.limits {
		all, over := counts[i].all, counts[i].over
		decided = decided && all >= l.needs
		if float64(over) <= l.share*float64(all) {
			continue
		}
		how := "took longer"
		if l.most == 0 {
			how = "failed"
		}
		missed = fmt.Sprintf("%s: %.3g %% %s", l.text, 100*float64(over)/float64(all), how)
		if over >= leastBeyond {
			return missed, true
		}
	}
	return missed, decided
}
