package report

import (
	"fmt"
	"slices"
	"strings"

	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// rowOf returns the row of a transaction or a kind, or nil.
func rowOf(rows []result.Row, name string) *result.Row {
	i := slices.IndexFunc(rows, func(row result.Row) bool { return row.Name == name })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// withCode returns a cell with the name of a transaction and, if it is one, its number in the TPoX papers.
func withCode(name string) cell {
	for _, t := range tpox.Transactions {
		if t.Name == name {
			return cell{Text: name, Aside: t.Code}
		}
	}
	return cell{Text: name}
}

// statisticsSection shows the table that the scenario asks for: by transaction, by kind, and in total.
func statisticsSection(groups []group) section {
	s := section{ID: "statistics"}
	for _, g := range groups {
		r := g.Run
		note := fmt.Sprintf("%s transactions in %s: %s a second, %s a minute; goodput %s a second.",
			format.Count(r.Total.Count), seconds(r.Measured), format.Figure(r.TPS), format.Figure(r.TPM),
			format.Figure(r.Goodput))
		if g.invalid() {
			note += " This run is INVALID."
		}
		s.Blocks = append(s.Blocks, block{Title: g.nameAtUsers(), Note: note, Table: statisticsTable(r)})
	}
	return s
}

func statisticsTable(r *result.Run) *table {
	t := newTable("Statistics by transaction and kind", "text:transaction", "count", "share", "total s", "min", "max",
		"avg", "p50", "p90", "p95", "p99")
	t.Class = "statistics"
	line := func(class string, row result.Row, name string) {
		l := row.Latency
		t.add(class, withCode(name), row.Count, percent(row.Share, 2), l.Total/1e6, micros(l.Min), micros(l.Max),
			micros(l.Mean), micros(l.P50), micros(l.P90), micros(l.P95), micros(l.P99))
	}
	for _, row := range r.Transactions {
		line("", row, row.Name)
	}
	class := "kind first"
	for _, row := range r.Kinds {
		line(class, row, kindsName(row.Name))
		class = "kind"
	}
	line("total", r.Total, "total")
	return t
}

// kindsName returns the plural of a kind of transactions.
func kindsName(kind string) string {
	if stem, ok := strings.CutSuffix(kind, "y"); ok {
		return stem + "ies"
	}
	return strings.TrimSuffix(kind, "s") + "s"
}

// refusalsSection returns the section on goodput, outcomes and refusals by reason.
func refusalsSection(groups []group) section {
	ended := newTable("Outcomes of all transactions", "text:workload", "users", "text:transaction", "due",
		"num strong:done", "refused", "unanswered", "dropped", "still waiting", "answered late", "unexpected", "of all")
	reasons := newTable("Refusals by reason", "text:workload", "text:transaction", "text:reason", "count",
		"of the transaction", "text:")
	for _, g := range groups {
		r, all := g.Run, int64(0)
		line := func(row result.Row, unexpected int64) {
			ended.add("", g.name(), g.Users, row.Name, row.Due, row.Good, row.Refused(), row.Unanswered, row.Dropped,
				row.Waiting, row.Late, unexpected, percent(ratio(float64(unexpected), float64(row.Count)), 3))
		}
		for _, row := range r.Transactions {
			addReasons(reasons, "", g, row, row.Expected, "expected")
			unexpected := addReasons(reasons, "invalid", g, row, row.Unexpected, "unexpected")
			if all += unexpected; row.Unanswered > 0 {
				line(row, unexpected)
			}
		}
		line(r.Total, all)
	}
	return section{ID: "goodput",
		Blocks: []block{
			{Table: ended,
				Note: "Due is the sum of done, refused, unanswered, dropped and still waiting. A transaction has a line of its " +
					"own if some of its requests were not answered within their timeout. Still waiting: not answered at the end " +
					"of the measured time; some were answered late. Unexpected are those of the refused and unanswered that the " +
					"workload does not expect."},
			{Title: "By reason", Table: reasons},
		}}
}

// addReasons adds a row for each reason, the most frequent first, and returns the sum of their counts.
func addReasons(t *table, class string, g group, row result.Row, counts map[string]int64, kind string) (sum int64) {
	for _, reason := range result.Frequent(counts) {
		n := counts[reason]
		sum += n
		t.add(class, g.name(), row.Name, reason, n, percent(ratio(float64(n), float64(row.Count)), 2), kind)
	}
	return sum
}
