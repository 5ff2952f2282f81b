package report

import (
	"fmt"
	"strings"

	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// unfaithful returns, as a text, the shares of a run's load for which the store does not work on XML in the database,
// or "" if there are none. The databases of the papers had none.
func unfaithful(r *result.Run) string {
	if len(r.Faithful) == 0 {
		return "not recorded whether the store works on XML in the database"
	}
	shares, all := make(map[tpox.Fidelity]float64), 0.
	for _, part := range r.Workload.Mix {
		if how, known := r.Faithful[part.Transaction]; known {
			shares[how] += part.Weight
			all += part.Weight
		}
	}
	var rest []string
	for _, how := range tpox.Fidelities[1:] {
		if shares[how] > 0 {
			rest = append(rest, fmt.Sprintf("%s %s", percent(shares[how]/all, 0), how))
		}
	}
	if len(rest) == 0 {
		return ""
	}
	return fmt.Sprintf("%s for only %s of the load (%s)", tpox.InDatabase,
		percent(shares[tpox.InDatabase]/all, 0), strings.Join(rest, ", "))
}

// faithfulText lists the transactions of each kind of work on XML, the most faithful first.
func faithfulText(of map[string]tpox.Fidelity) string {
	var parts []string
	for _, how := range tpox.Fidelities {
		var names []string
		for _, t := range tpox.Transactions {
			if of[t.Name] == how {
				names = append(names, t.Name)
			}
		}
		switch {
		case len(names) == len(tpox.Transactions):
			parts = append(parts, string(how)+": every transaction")
		case len(names) > 0:
			parts = append(parts, string(how)+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}
