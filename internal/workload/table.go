package workload

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The statistics table of the scenario, which loadtest/lib/table.js prints in the same way. It is 94 characters wide;
// without the two columns that are needed least often, 80.

// cell is a column of the table, with two lines of heading.
type cell struct {
	above, head string
	width       int
	narrow      bool // also printed on a narrow terminal
	of          func(Row) string
}

func times(head string, narrow bool, of func(Latency) float64) cell {
	return cell{head, "ms", 5, narrow, func(r Row) string { return Milli(of(r.Latency)) }}
}

var cells = [...]cell{
	{"", "count", 10, true, func(r Row) string { return count(r.Count) }},
	{"share", "%", 5, true, func(r Row) string { return fmt.Sprintf("%.1f", 100*r.Share) }},
	{"total", "s", 7, false, func(r Row) string { return fmt.Sprintf("%.1f", r.Latency.Total/1e6) }},
	times("min", false, func(l Latency) float64 { return l.Min }),
	times("mean", true, func(l Latency) float64 { return l.Mean }),
	times("p50", true, func(l Latency) float64 { return l.P50 }),
	times("p90", true, func(l Latency) float64 { return l.P90 }),
	times("p95", true, func(l Latency) float64 { return l.P95 }),
	times("p99", true, func(l Latency) float64 { return l.P99 }),
	times("p99.9", true, func(l Latency) float64 { return l.P999 }),
	times("max", true, func(l Latency) float64 { return l.Max }),
}

const nameWidth = 21

// Write writes the result as text.
func (r *Run) Write(w io.Writer) error { return r.WriteWidth(w, 0) }

// WriteWidth writes the result as text for a terminal of a width in columns; 0 is no terminal.
func (r *Run) WriteWidth(w io.Writer, columns int) error {
	p := &printer{out: w, columns: columns}
	r.heading(p)
	p.table(r.Transactions)
	p.rule()
	for _, k := range r.Kinds {
		p.row(k)
	}
	p.rule()
	p.row(r.Total)
	p.line("")
	p.linef("%s transactions a second, %s a minute; goodput %s a second", rate(r.TPS), rate(r.TPM), rate(r.Goodput))
	r.sums(p)
	r.refusals(p)
	r.usage(p)
	r.Validity.write(p)
	return p.err
}

// WriteShort writes an interval as one line, for reports during the run.
func (i Interval) WriteShort(w io.Writer) error {
	unexpected := int64(0)
	for r := range i.Rows {
		unexpected += unexpectedOf(&i.Rows[r])
	}
	_, err := fmt.Fprintf(w, "%5.0f s %10s tx %8s/s  p50 %s  p99 %s  p99.9 %s ms  errors %s\n",
		i.To, count(i.Count), rate(i.TPS),
		Milli(i.Latency.P50), Milli(i.Latency.P99), Milli(i.Latency.P999), count(unexpected))
	return err
}

func (r *Run) heading(p *printer) {
	validated := "not validated"
	if r.Workload.Validate {
		validated = "validated"
	}
	model := fmt.Sprintf("%s users, no think time", count(int64(r.Model.Users)))
	if r.Model.Think > 0 {
		model = fmt.Sprintf("%s users, think time %g s", count(int64(r.Model.Users)), r.Model.Think)
	}
	if r.Model.Kind == Open {
		model = fmt.Sprintf("%g arrivals a second, at most %d at once", r.Model.Rate, r.Model.Users)
	}
	p.linef("Workload %s (%s) on %s %s", r.Workload.Name, validated, r.Target.Kind, r.Target.URL)
	p.linef("%s; %.1f s measured after %.1f s of warm-up; seed %d", model, r.Measured, r.Warmed, r.Seed)
	p.linef("Dataset %s", r.Dataset.Fingerprint)
	if prepared := r.Prepared; prepared != nil {
		unexpected := ""
		if len(prepared.Unexpected) > 0 {
			unexpected = "; unexpected: " + reasons(prepared.Unexpected)
		}
		p.linef("Prepared, and not counted: %s orders, %s customers%s",
			count(prepared.Orders), count(prepared.Customers), unexpected)
	}
	p.line("")
}

const sumForm = "%-21s %10s %10s %8s %10s %8s %7s"

// sums writes what became of the transactions that were due: in total, and for each transaction of which some were not
// answered.
func (r *Run) sums(p *printer) {
	p.line("")
	p.linef(sumForm, "became of", "due", "done", "refused", "unanswered", "dropped", "waiting")
	for i := range r.Transactions {
		if t := &r.Transactions[i]; t.Unanswered+t.Waiting > 0 {
			p.sum(t)
		}
	}
	p.sum(&r.Total)
	if r.Total.Late > 0 {
		p.linef("Waiting at the end and answered within %.0[2]f s of it: %[1]s; their times count.",
			count(r.Total.Late), grace.Seconds())
	}
	p.line("")
}

type printer struct {
	out     io.Writer
	columns int // of the terminal; 0 if there is none
	err     error
}

func (p *printer) sum(r *Row) {
	p.linef(sumForm, r.Name, count(r.Due), count(r.Good), count(r.Refused()),
		count(r.Unanswered), count(r.Dropped), count(r.Waiting))
}

func (r *Run) refusals(p *printer) {
	p.refused("Expected refusals", r.Transactions, func(r *Row) map[string]int64 { return r.Expected })
	p.refused("UNEXPECTED", r.Transactions, func(r *Row) map[string]int64 { return r.Unexpected })
	if r.Total.Empty > 0 {
		var list []string
		for i := range r.Transactions {
			if t := &r.Transactions[i]; t.Empty > 0 {
				list = append(list, t.Name+" "+count(t.Empty))
			}
		}
		p.linef("Drawn again, with nothing of the user's own to take away: %s", strings.Join(list, ", "))
	}
	if a := r.Arrivals; a != nil {
		p.linef("Arrivals: %s begun (%s over 1 ms late), %s never begun; times count from when due",
			count(a.Started), count(a.Late), count(a.Queued))
	}
}

func (r *Run) usage(p *printer) {
	u := &r.Usage
	process := "Load generator"
	if u.Shared {
		process = "Load generator and store"
	}
	if r.Measured > 0 {
		p.linef("%s: %.1f s of processor time, %.0f %% of %d; memory %s, at most %s",
			process, u.Generator.CPUSeconds, 100*u.Generator.CPU, r.Machine.Cores,
			size(u.Generator.MemoryAfter), size(u.Generator.MemoryPeak))
	}
	if s := u.Service; s != nil {
		share := ""
		if r.Target.SameHost {
			share = fmt.Sprintf(", %.0f %% of %d", 100*s.CPU, r.Machine.Cores)
		}
		p.linef("Service: %.1f s of processor time%s; memory %s before, %s after",
			s.CPUSeconds, share, size(s.MemoryBefore), size(s.MemoryAfter))
	}
	if h := u.Host; h != nil {
		p.linef("Host: %.0f %% busy, %.0f %% waiting for I/O; %s read, %s written",
			100*h.CPU, 100*h.IOWait, size(h.ReadBytes), size(h.WriteBytes))
	}
	p.line("")
}

func (v Validity) write(p *printer) {
	switch {
	case v.Invalid():
		for _, line := range invalidLetters {
			p.line(line)
		}
		for _, reason := range v.Reasons {
			p.linef("INVALID: %s", reason)
		}
	case v.Smoke:
		p.line("SMOKE: it works; the figures are not to be quoted")
	default:
		p.line("VALID")
	}
	for _, note := range v.Notes {
		p.linef("Note: %s", note)
	}
}

// invalidLetters are large, so that no such run is quoted by mistake.
var invalidLetters = [...]string{
	"##### #   # #   #   #   #     ##### ####",
	"  #   ##  # #   #  # #  #       #   #   #",
	"  #   # # # #   # #   # #       #   #   #",
	"  #   #  ##  # #  ##### #       #   #   #",
	"##### #   #   #   #   # ##### ##### ####",
	"",
}

func (p *printer) linef(format string, args ...any) { p.line(fmt.Sprintf(format, args...)) }

func (p *printer) line(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.out, text+"\n")
	}
}

// cells returns the columns that fit.
func (p *printer) cells() []cell {
	if p.columns == 0 || p.columns >= widthOf(cells[:]) {
		return cells[:]
	}
	return slices.DeleteFunc(slices.Clone(cells[:]), func(c cell) bool { return !c.narrow })
}

func widthOf(cells []cell) int {
	width := nameWidth
	for _, c := range cells {
		width += 1 + c.width
	}
	return width
}

func (p *printer) rule() { p.line(strings.Repeat("-", widthOf(p.cells()))) }

// columnsOf writes a row of the table.
func (p *printer) columnsOf(name string, text func(cell) string) {
	var line strings.Builder
	fmt.Fprintf(&line, "%-*s", nameWidth, name)
	for _, c := range p.cells() {
		fmt.Fprintf(&line, " %*s", c.width, text(c))
	}
	p.line(line.String())
}

func (p *printer) table(rows []Row) {
	p.columnsOf("", func(c cell) string { return c.above })
	p.columnsOf("transaction", func(c cell) string { return c.head })
	p.rule()
	for _, r := range rows {
		p.row(r)
	}
}

func (p *printer) row(r Row) {
	p.columnsOf(r.Name, func(c cell) string { return c.of(r) })
}

func (p *printer) refused(title string, rows []Row, of func(*Row) map[string]int64) {
	for i := range rows {
		if counts := of(&rows[i]); len(counts) > 0 {
			p.linef("%s of %s: %s", title, rows[i].Name, reasons(counts))
		}
	}
}

// byCount returns the names, those with the largest counts first.
func byCount(counts map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
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

// count returns 1234567 as 1,234,567.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func rate(perSecond float64) string {
	if perSecond < 100 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return count(int64(perSecond + .5))
}

func size(bytes int64) string {
	if bytes >= 1e9 {
		return fmt.Sprintf("%.2f GB", float64(bytes)/1e9)
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}
