package result

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"brokerage/internal/format"
)

// Write writes the result as text, whose last line sums up the run. Without verbose it has fewer percentiles, and no
// reasons of expected refusals.
func (r *Run) Write(w io.Writer, verbose bool) error {
	text := &strings.Builder{}
	line := func(form string, args ...any) { fmt.Fprintf(text, form+"\n", args...) }

	validated := "not validated"
	if r.Workload.Validate {
		validated = "validated"
	}
	load := r.Model.String()
	switch {
	case r.Curve != nil:
		load = fmt.Sprintf("The highest rate with %s, at most %d at once", r.Curve.Goal, r.Model.Users)
	case r.Part != nil:
		load += fmt.Sprintf(", of which part %d of %d", r.Part.Number, r.Part.Of)
	case len(r.Parts) > 0:
		load += fmt.Sprintf(", from %d load generators", len(r.Parts))
	}
	line("Workload %s (%s) on %s (%s)", r.Workload.Name, validated, r.Target.URL, r.Target.Kind)
	line("%s; %.1f s measured after %.1f s of warm-up; seed %d", load, r.Measured, r.Warmed, r.Seed)
	line("Dataset %s", r.Dataset.Fingerprint)
	if p := r.Prepared; p != nil {
		line("Prepared, and not counted: %s orders, %s customers", format.Count(p.Orders), format.Count(p.Customers))
		if len(p.Unexpected) > 0 {
			line("UNEXPECTED while preparing: %s", reasons(p.Unexpected))
		}
	}
	line("")
	if r.Curve == nil {
		r.writeTable(line, verbose)
		r.writeOutcomes(line, verbose)
	}
	shares := r.Usage.shares()
	if o := r.Usage.Others; o != nil {
		shares = append(shares, "others "+percent(*o))
	}
	if len(shares) > 0 && r.Curve == nil {
		line("Processor, of %d: %s", r.Machine.Cores, strings.Join(shares, ", "))
	}
	if o := r.Usage.Others; o != nil && *o > MostOthers {
		line("Other programs used %s of the machine", percent(*o))
	}
	if r.Break != nil {
		line("%s", r.Break)
	}
	if r.Proof != nil && r.Proof.Verified {
		line("%s", r.Proof)
	}
	stamp := ""
	switch v := r.Validity; {
	case v.Invalid():
		stamp = "INVALID: "
		for _, reason := range v.Reasons {
			line("INVALID: %s", reason)
		}
	case v.Smoke:
		line("SMOKE: the run works, but its figures are not to be quoted")
	default:
		line("VALID")
	}
	for _, note := range r.Validity.Notes {
		line("Note: %s", note)
	}
	if r.Curve != nil {
		line("")
		r.Curve.write(line)
	} else {
		l := r.Total.Latency
		line("%s%s transactions a second, goodput %s; p50 %s, p99 %s, max %s ms", stamp, format.Figure(r.TPS),
			format.Figure(r.Goodput), milli(l.P50), milli(l.P99), milli(l.Max))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// String describes the load: users with their think time, or arrivals at a rate.
func (m Model) String() string {
	text := format.Plural(m.Users, "user") + ", no think time"
	switch {
	case m.Think != "":
		text = format.Plural(m.Users, "user") + ", think time " + m.Think
	case m.Kind == Open:
		text = fmt.Sprintf("%g arrivals a second, at most %d at once", m.Rate, m.Users)
	}
	if m.Consistency != "" {
		text += ", queries with consistency " + m.Consistency
	}
	return text
}

// writeTable writes the statistics by transaction, by kind and in total.
func (r *Run) writeTable(line func(string, ...any), verbose bool) {
	form := "%-21s %10s %7s %7s %7s %7s"
	head := []any{"transaction", "count", "share %", "p50 ms", "p99 ms", "max ms"}
	if verbose {
		form += " %9s %7s %7s %7s %7s %7s"
		head = append(head, "total s", "min ms", "mean ms", "p90 ms", "p95 ms", "p99.9")
	}
	line(form, head...)
	for _, rows := range [][]Row{r.Transactions, r.Kinds, {r.Total}} {
		line("%s", strings.Repeat("-", len(fmt.Sprintf(form, head...))))
		for _, row := range rows {
			l := row.Latency
			cells := []any{row.Name, format.Count(row.Count), fmt.Sprintf("%.1f", 100*row.Share), milli(l.P50), milli(l.P99),
				milli(l.Max)}
			if verbose {
				cells = append(cells, fmt.Sprintf("%.1f", l.Total/1e6), milli(l.Min), milli(l.Mean), milli(l.P90), milli(l.P95),
					milli(l.P999))
			}
			line(form, cells...)
		}
	}
	line("")
}

// writeOutcomes writes what became of the transactions.
func (r *Run) writeOutcomes(line func(string, ...any), verbose bool) {
	t := &r.Total
	line("Due %s: done %s, refused %s, unanswered %s, dropped %s, waiting at the end %s", format.Count(t.Due),
		format.Count(t.Good), format.Count(t.Refused()), format.Count(t.Unanswered), format.Count(t.Dropped),
		format.Count(t.Waiting))
	if t.Late > 0 {
		line("Of those waiting, %s were answered after the end; their times count", format.Count(t.Late))
	}
	if a := r.Arrivals; a != nil && a.Late > 0 {
		line("%s arrivals began over 1 ms late; times count from when they were due", format.Count(a.Late))
	}
	for i := range r.Transactions {
		row := &r.Transactions[i]
		if len(row.Expected) > 0 && verbose {
			line("Expected refusals of %s: %s", row.Name, reasons(row.Expected))
		}
		if len(row.Unexpected) > 0 {
			line("UNEXPECTED of %s: %s", row.Name, reasons(row.Unexpected))
		}
	}
}

// WriteShort writes an interval as one line, for reports during the run.
func (i Interval) WriteShort(w io.Writer) error {
	l := i.Latency
	_, err := fmt.Fprintf(w, "%5.0f s %10s tx %8s/s  p50 %s  p99 %s  p99.9 %s ms  errors %s\n", i.To,
		format.Count(i.Count), format.Figure(i.TPS), milli(l.P50), milli(l.P99), milli(l.P999), format.Count(i.Errors))
	return err
}

// Frequent returns the reasons of refusals, the most frequent first.
func Frequent(counts map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// reasons lists refusals, the most frequent first.
func reasons(counts map[string]int64) string {
	list := Frequent(counts)
	for i, reason := range list {
		list[i] = reason + " " + format.Count(counts[reason])
	}
	return strings.Join(list, ", ")
}

// milli writes microseconds as milliseconds.
func milli(microseconds float64) string { return format.Figure(microseconds / 1e3) }
