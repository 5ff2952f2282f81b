package report

import (
	"fmt"

	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// withCode returns a cell with a name and, for a transaction of TPoX, its code in the papers.
func withCode(name string) cell {
	for _, t := range tpox.Transactions {
		if t.Name == name {
			return cell{Text: name, Aside: t.Code}
		}
	}
	return cell{Text: name}
}

// statisticsSection shows a table for each group: by transaction, kind of transaction, and in total.
func statisticsSection(groups []group) section {
	s := section{ID: "statistics"}
	for _, g := range groups {
		r := g.Run
		note := fmt.Sprintf("%s transactions in %s: %s a second, %s a minute; goodput %s a second.",
			format.Count(r.Total.Count), seconds(r.Measured), format.Figure(r.TPS), format.Figure(r.TPM),
			format.Figure(r.Goodput))
		if !g.valid() {
			note += " This run is INVALID."
		}
		t := newTable("text:transaction", "count", "share", "total s", "min", "max", "avg", "p50", "p90", "p95", "p99")
		for _, part := range []struct {
			class string
			rows  []result.Row
		}{{"", r.Transactions}, {"kind", r.Kinds}, {"total", []result.Row{r.Total}}} {
			for _, row := range part.rows {
				l := row.Latency
				t.add(part.class, withCode(row.Name), row.Count, percent(row.Share, 2), l.Total/1e6, micros(l.Min),
					micros(l.Max), micros(l.Mean), micros(l.P50), micros(l.P90), micros(l.P95), micros(l.P99))
			}
		}
		s.Blocks = append(s.Blocks, block{Title: g.name(), Note: note, Table: t})
	}
	return s
}

// outcomesSection shows what became of the transactions that were due, and the refusals by reason.
func outcomesSection(groups []group) section {
	outcomes := newTable("text:workload", "text:transaction", "due", "num strong:done", "refused", "unanswered", "dropped",
		"still waiting", "answered late", "unexpected")
	reasons := newTable("text:workload", "text:transaction", "text:reason", "count", "of the transaction", "text:")
	for _, g := range groups {
		all := int64(0)
		line := func(row result.Row, unexpected int64) {
			outcomes.add("", g.name(), row.Name, row.Due, row.Good, row.Refused(), row.Unanswered, row.Dropped, row.Waiting,
				row.Late, percent(ratio(float64(unexpected), float64(row.Count)), 3))
		}
		for _, row := range g.Run.Transactions {
			unexpected := int64(0)
			for _, reason := range result.Frequent(row.Unexpected) {
				n := row.Unexpected[reason]
				unexpected += n
				reasons.add("invalid", g.name(), row.Name, reason, n, percent(ratio(float64(n), float64(row.Count)), 2),
					"unexpected")
			}
			for _, reason := range result.Frequent(row.Expected) {
				n := row.Expected[reason]
				reasons.add("", g.name(), row.Name, reason, n, percent(ratio(float64(n), float64(row.Count)), 2), "expected")
			}
			if row.Unanswered > 0 {
				line(row, unexpected)
			}
			all += unexpected
		}
		line(g.Run.Total, all)
	}
	return section{ID: "goodput", Blocks: []block{{Table: outcomes}, {Title: "Refusals by reason", Table: reasons}}}
}
