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

// cell is a column of the table, with two lines of heading.
type cell struct {
	above, head string
	width       int
	brief       bool // also printed without --verbose
	of          func(Row) string
}

func times(head string, brief bool, of func(Latency) float64) cell {
	return cell{head, "ms", 5, brief, func(r Row) string { return Milli(of(r.Latency)) }}
}

var cells = []cell{
	{"", "count", 10, true, func(r Row) string { return format.Count(r.Count) }},
	{"share", "%", 5, true, func(r Row) string { return fmt.Sprintf("%.1f", 100*r.Share) }},
	{"total", "s", 7, false, func(r Row) string { return fmt.Sprintf("%.1f", r.Latency.Total/1e6) }},
	times("min", false, func(l Latency) float64 { return l.Min }),
	times("mean", false, func(l Latency) float64 { return l.Mean }),
	times("p50", true, func(l Latency) float64 { return l.P50 }),
	times("p90", false, func(l Latency) float64 { return l.P90 }),
	times("p95", false, func(l Latency) float64 { return l.P95 }),
	times("p99", true, func(l Latency) float64 { return l.P99 }),
	times("p99.9", false, func(l Latency) float64 { return l.P999 }),
	times("max", true, func(l Latency) float64 { return l.Max }),
}

const nameWidth = 21

// Write writes the result as text. The answer is last. Without verbose it has fewer percentiles, and one line each for
// what went wrong, if nothing did, and for what was used.
func (r *Run) Write(w io.Writer, verbose bool) error {
	p := &printer{verbose: verbose, cells: cells}
	if !verbose {
		p.cells = slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return !c.brief })
	}
	p.heading(r)
	if r.Curve != nil {
		p.validity(r.Validity)
		p.linef("")
		p.curve(r.Curve)
		return p.flush(w)
	}
	p.row("", func(c cell) string { return c.above })
	p.row("transaction", func(c cell) string { return c.head })
	for _, rows := range [][]Row{r.Transactions, r.Kinds, {r.Total}} {
		p.rule()
		for _, row := range rows {
			p.row(row.Name, func(c cell) string { return c.of(row) })
		}
	}
	p.linef("")
	if verbose {
		p.linef("%s transactions a second, %s a minute; goodput %s a second\n", Rate(r.TPS), Rate(r.TPM), Rate(r.Goodput))
	}
	p.outcomes(r)
	p.usage(r)
	if r.Break != nil {
		p.linef("%s", r.Break)
	}
	if r.Proof != nil && r.Proof.Verified {
		p.linef("%s", r.Proof)
	}
	p.validity(r.Validity)
	p.answer(r)
	return p.flush(w)
}

// printer collects lines of text.
type printer struct {
	strings.Builder

	verbose bool
	cells   []cell // the columns of the table
}

// answer writes the rate and the times in one line.
func (p *printer) answer(r *Run) {
	stamp := ""
	if r.Validity.Invalid() {
		stamp = "INVALID: "
	}
	l := r.Total.Latency
	p.linef("%s%s transactions a second, goodput %s; p50 %s, p99 %s, max %s ms", stamp, Rate(r.TPS), Rate(r.Goodput),
		Milli(l.P50), Milli(l.P99), Milli(l.Max))
}

// outcomes writes what became of the transactions: one line if nothing went wrong. In the closed model, each user may
// have one in progress at the end.
func (p *printer) outcomes(r *Run) {
	t := &r.Total
	inProgress := t.Waiting - t.Late
	if !p.verbose && t.unexpected()+t.Unanswered+t.Dropped == 0 &&
		(inProgress == 0 || r.Model.Kind == Closed && inProgress <= int64(r.Model.Users)) {
		line := fmt.Sprintf("Nothing went wrong: %s answered", format.Count(t.Due-inProgress))
		if inProgress > 0 {
			line += fmt.Sprintf(", %d in progress at the end", inProgress)
		}
		p.linef("%s, %s refusals that the workload expects", line, format.Count(t.Refused()))
		return
	}
	p.sums(r)
	p.refusals(r)
}

// WriteShort writes an interval as one line, for reports during the run.
func (i Interval) WriteShort(w io.Writer) error {
	errors := int64(0)
	for r := range i.Rows {
		errors += i.Rows[r].unexpected()
	}
	_, err := fmt.Fprintf(w, "%5.0f s %10s tx %8s/s  p50 %s  p99 %s  p99.9 %s ms  errors %s\n",
		i.To, format.Count(i.Count), Rate(i.TPS),
		Milli(i.Latency.P50), Milli(i.Latency.P99), Milli(i.Latency.P999), format.Count(errors))
	return err
}

func (p *printer) linef(form string, args ...any) { fmt.Fprintf(&p.Builder, form+"\n", args...) }

func (p *printer) flush(w io.Writer) error {
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *printer) rule() {
	width := nameWidth
	for _, c := range p.cells {
		width += 1 + c.width
	}
	p.linef("%s", strings.Repeat("-", width))
}

func (p *printer) row(name string, text func(cell) string) {
	fmt.Fprintf(&p.Builder, "%-*s", nameWidth, name)
	for _, c := range p.cells {
		fmt.Fprintf(&p.Builder, " %*s", c.width, text(c))
	}
	p.WriteByte('\n')
}

func (p *printer) heading(r *Run) {
	validated := "not validated"
	if r.Workload.Validate {
		validated = "validated"
	}
	model := r.Model.String()
	if r.Curve != nil {
		model = fmt.Sprintf("The highest rate with %s, at most %d at once", r.Curve.Goal, r.Model.Users)
	}
	p.linef("Workload %s (%s) on %s %s", r.Workload.Name, validated, r.Target.Kind, r.Target.URL)
	if r.Part != nil {
		model += fmt.Sprintf(", of which part %d of %d", r.Part.Number, r.Part.Of)
	} else if len(r.Parts) > 0 {
		model += fmt.Sprintf(", from %d load generators", len(r.Parts))
	}
	p.linef("%s; %.1f s measured after %.1f s of warm-up; seed %d", model, r.Measured, r.Warmed, r.Seed)
	p.linef("Dataset %s", r.Dataset.Fingerprint)
	switch r.Workload.NewDocuments {
	case "own":
		p.linef("New documents are not drawn by queries and updates")
	case "shared":
		p.linef("New documents are drawn by the queries and updates of all users")
	}
	if made := r.Prepared; made != nil {
		unexpected := ""
		if len(made.Unexpected) > 0 {
			unexpected = "; unexpected: " + reasons(made.Unexpected)
		}
		p.linef("Prepared, and not counted: %s orders, %s customers%s",
			format.Count(made.Orders), format.Count(made.Customers), unexpected)
	}
	p.linef("")
}

// String describes the load: users with their think time, or arrivals at a rate.
func (m Model) String() string {
	text := format.Plural(m.Users, "user") + ", no think time"
	switch {
	case m.Kind == Open:
		text = fmt.Sprintf("%g arrivals a second, at most %d at once", m.Rate, m.Users)
	case m.ThinkText != "":
		text = fmt.Sprintf("%s, think time %s", format.Plural(m.Users, "user"), m.ThinkText)
	case m.Think > 0:
		text = fmt.Sprintf("%s, think time %g s", format.Plural(m.Users, "user"), m.Think)
	}
	if m.Consistency != "" {
		text += ", queries with consistency " + m.Consistency
	}
	return text
}

// sums writes the outcomes of the transactions that were due: in total, and for each transaction of which some were not
// answered.
func (p *printer) sums(r *Run) {
	const form = "%-21s %10s %10s %8s %10s %8s %7s"
	p.linef(form, "outcomes", "due", "done", "refused", "unanswered", "dropped", "waiting")
	answered := func(t Row) bool { return t.Unanswered+t.Waiting == 0 }
	for _, t := range append(slices.DeleteFunc(slices.Clone(r.Transactions), answered), r.Total) {
		p.linef(form, t.Name, format.Count(t.Due), format.Count(t.Good), format.Count(t.Refused()),
			format.Count(t.Unanswered), format.Count(t.Dropped), format.Count(t.Waiting))
	}
	if r.Total.Late > 0 {
		p.linef("Waiting at the end and answered within %.0f s of it: %s; their times count.",
			Grace.Seconds(), format.Count(r.Total.Late))
	}
	p.linef("")
}

func (p *printer) refusals(r *Run) {
	var expected, unexpected, empty []string
	for i := range r.Transactions {
		t := &r.Transactions[i]
		if len(t.Expected) > 0 {
			expected = append(expected, "Expected refusals of "+t.Name+": "+reasons(t.Expected)+"\n")
		}
		if len(t.Unexpected) > 0 {
			unexpected = append(unexpected, "UNEXPECTED of "+t.Name+": "+reasons(t.Unexpected)+"\n")
		}
		if t.Empty > 0 {
			empty = append(empty, t.Name+" "+format.Count(t.Empty))
		}
	}
	p.WriteString(strings.Join(append(expected, unexpected...), ""))
	if len(empty) > 0 {
		p.linef("Drawn again, with nothing of the user's own to delete: %s", strings.Join(empty, ", "))
	}
	if a := r.Arrivals; a != nil && r.Tool.Name != k6Tool {
		p.linef("Arrivals: %s begun (%s over 1 ms late), %s never begun; times count from when due",
			format.Count(a.Started), format.Count(a.Late), format.Count(a.Queued))
	}
}

func (p *printer) usage(r *Run) {
	u := &r.Usage
	shares := u.shares()
	if u.Others != nil {
		shares = append(shares, "others "+percent(*u.Others))
	}
	if len(shares) > 0 {
		p.linef("Processor, of %d: %s", r.Machine.Cores, strings.Join(shares, ", "))
	}
	if !p.verbose {
		return
	}
	for _, of := range u.Processes() {
		p.linef("%s%s: %.1f s of processor time; memory %s before, %s after", strings.ToUpper(of.Name[:1]), of.Name[1:],
			of.CPUSeconds, format.Bytes(of.MemoryBefore), format.Bytes(of.MemoryAfter))
	}
	if h := u.Host; h != nil {
		p.linef("Host: %s busy, %s waiting for I/O; %s read, %s written", percent(h.CPU), percent(h.IOWait),
			format.Bytes(h.ReadBytes), format.Bytes(h.WriteBytes))
	}
	if u.Others != nil && *u.Others > MostOthers {
		p.linef("Others used %s of the machine", percent(*u.Others))
	}
	p.linef("")
}

func (p *printer) validity(v Validity) {
	switch {
	case v.Invalid():
		for _, reason := range v.Reasons {
			p.linef("INVALID: %s", reason)
		}
	case v.Smoke:
		p.linef("SMOKE: it works; the figures are not to be quoted")
	default:
		p.linef("VALID")
	}
	for _, note := range v.Notes {
		p.linef("Note: %s", note)
	}
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

// Milli returns microseconds as milliseconds in at most five characters, or as seconds from 100 s on.
func Milli(microseconds float64) string {
	ms := microseconds / 1e3
	switch {
	case ms < 9.9995:
		return fmt.Sprintf("%.3f", ms)
	case ms < 99.995:
		return fmt.Sprintf("%.2f", ms)
	case ms < 999.95:
		return fmt.Sprintf("%.1f", ms)
	case ms < 99_999.5:
		return fmt.Sprintf("%.0f", ms)
	default:
		return fmt.Sprintf("%.0fs", ms/1e3)
	}
}

// Rate writes a rate a second.
func Rate(perSecond float64) string {
	if perSecond < 100 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return format.Count(int64(perSecond + .5))
}
