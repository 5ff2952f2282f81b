package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"brokerage/internal/format"
	"brokerage/internal/result"
)

// verdictCounts counts the verdicts, and how many differences chance alone would make.
type verdictCounts struct {
	better, worse, within, unknown int
	byChance                       float64
}

func countVerdicts(figures []compared) (n verdictCounts) {
	for _, f := range figures {
		switch v := judge(f.A, f.B); {
		case v == unknown:
			n.unknown++
		case v == within:
			n.within++
		case f.improved():
			n.better++
		default:
			n.worse++
		}
		n.byChance += chanceOf(min(len(f.A), len(f.B)))
	}
	return n
}

func (n verdictCounts) String() string {
	text := fmt.Sprintf("Larger than noise: %d (%d better, %d worse). Within noise: %d. Noise unknown: %d.",
		n.better+n.worse, n.better, n.worse, n.within, n.unknown)
	if judged := n.better + n.worse + n.within; judged > 0 {
		text += fmt.Sprintf(" Of the %d that could be judged, chance alone would make about %s larger than noise.", judged,
			format.Fixed(n.byChance, 1))
	}
	return text
}

// conclusion is the verdict of a comparison in a word, with its reasons.
type conclusion struct{ Word, Text string }

const (
	isBetter  = "better"
	isWorse   = "worse"
	isMixed   = "better and worse"
	isSame    = "no difference beyond noise"
	isUnknown = "unknown"
)

// conclude returns the verdict on B, from goodput and 99th percentile of each workload that both sides measured. They
// apply to closed and open models; throughput does not, since it counts refusals, and an open model sets it. Figures of
// INVALID runs are left out.
func (c *Comparison) conclude() conclusion {
	var heads []compared
	var reasons []string
	left := 0
	for _, f := range c.figures {
		switch {
		case f.Head && f.Valid:
			heads = append(heads, f)
			name, _, _ := strings.Cut(f.Name, ",")
			reasons = append(reasons, fmt.Sprintf("%s %s, %s", name, times(f.ratio(), 3), f.outcome()))
		case f.Head:
			left++
		}
	}
	n := countVerdicts(heads)
	text := strings.Join(reasons, "; ")
	if len(heads) > 2 {
		text = fmt.Sprintf("of %d figures (goodput and p99 of each workload) %d are better, %d worse, %d within noise, and "+
			"of %d the noise is unknown", len(heads), n.better, n.worse, n.within, n.unknown)
	}
	if left > 0 {
		text = joined("; ", text, format.Plural(left, "figure")+" of INVALID runs left out")
	}
	switch {
	case len(heads) == 0 && left > 0:
		return conclusion{isUnknown, "a side has INVALID runs, whose figures prove nothing"}
	case len(heads) == 0:
		return conclusion{isUnknown, "no workload was measured on both sides"}
	case n.unknown == len(heads):
		return conclusion{isUnknown, c.needed(heads)}
	case n.better > 0 && n.worse > 0:
		return conclusion{isMixed, text}
	case n.better > 0:
		return conclusion{isBetter, text}
	case n.worse > 0:
		return conclusion{isWorse, text}
	default:
		return conclusion{isSame, text}
	}
}

// needed says how many repeats a conclusion takes.
func (c *Comparison) needed(heads []compared) string {
	a, b := 0, 0
	for _, f := range heads {
		a, b = max(a, len(f.A)), max(b, len(f.B))
	}
	text := fmt.Sprintf("too few runs: how far runs scatter is known from %d on each side, and A has %d, B %d. ",
		enoughRepeats, a, b)
	if c.a.Campaign != nil {
		return text + fmt.Sprintf("Run both campaigns with --repeat %d", enoughRepeats)
	}
	return text + fmt.Sprintf("Measure both %d times or more (brokerage drive --repeat %[1]d --json FILE), and compare "+
		"the groups: brokerage report A-1.json A-2.json A-3.json -- B-1.json B-2.json B-3.json", enoughRepeats)
}

// lettered is a side of a comparison with its letter.
type lettered struct {
	name string
	*File
}

func (c *Comparison) sides() []lettered { return []lettered{{"A", c.a}, {"B", c.b}} }

// origin says when a file was measured, and on what.
func (f *File) origin() string {
	if c := f.Campaign; c != nil {
		return joined(", ", minute(c.Started), joined(" ", c.Store.Engine, c.Store.Version),
			prefixed("brokerage ", c.Versions.Brokerage))
	}
	r, repeats := f.first(), ""
	if n := len(f.repeats); n > 0 {
		repeats = format.Plural(n+1, "run")
	}
	return joined(", ", minute(r.Started), r.Target.Engine, joined(" ", r.Tool.Name, r.Tool.Version),
		format.Plural(r.Model.Users, "user"), repeats)
}

// stamps returns the banners of one side.
func (f *File) stamps() []banner {
	if f.Campaign != nil {
		return campaignStamps(f.Campaign, f.groups())
	}
	return stamps(f.groups())
}

// WriteHTML writes the comparison as a page.
func (c *Comparison) WriteHTML(w io.Writer) error {
	verdict, n := c.conclude(), countVerdicts(c.figures)
	p := page{Title: "Two results compared", Subtitle: "Ratios are B by A: × 1.00 is no difference.",
		Sources: append(c.a.names(), c.b.names()...)}
	p.Banners = []banner{{Class: "verdict", Word: strings.ToUpper(verdict.Word),
		Text: "B against A: " + verdict.Text + "."}}
	for _, side := range c.sides() {
		for _, stamp := range side.stamps() {
			stamp.Text = side.name + ": " + stamp.Text
			p.Banners = append(p.Banners, stamp)
		}
		p.Facts = append(p.Facts, fact{side.name, strings.Join(side.names(), ", ") + ", " + side.origin()})
	}
	p.Facts = append(p.Facts, datasetFacts(c.a.dataset())...)
	p.Facts = known(append(p.Facts, fact{"Durability", c.a.durability()}))
	p.Figures = []keyFigure{
		{Name: "better", Value: format.Count(n.better), Unit: "larger than noise"},
		{Name: "worse", Value: format.Count(n.worse), Unit: "larger than noise"},
		{Name: "no difference", Value: format.Count(n.within), Unit: "within noise"},
		{Name: "unknown", Value: format.Count(n.unknown), Unit: "noise unknown"},
	}
	p.add(c.differencesSection(), c.figuresSection("figures", "Workloads and steps", false),
		c.figuresSection("transactions", "Transactions", true),
		section{ID: "rule", Title: "The rule", Lead: ruleText, Blocks: []block{{Note: n.String()}}})
	return p.write(w)
}

func (c *Comparison) differencesSection() section {
	differ := newTable("What else differs", "text:", "text:A", "text:B")
	for _, d := range c.differ {
		differ.add("", d.Name, cmp.Or(d.A, "none"), cmp.Or(d.B, "none"))
	}
	remarks := newTable("Remarks", "text:remarks")
	for _, line := range c.remarks {
		remarks.add("", line)
	}
	differ.Class, remarks.Class = "beside", "beside"
	return section{ID: "beside", Title: "What else differs", Lead: "Other possible causes of a difference in the figures.",
		Blocks: []block{{Table: differ}, {Table: remarks}}}
}

func (c *Comparison) figuresSection(id, title string, detail bool) section {
	t := newTable(title, "text:figure", "A", "num soft:±", "B", "num soft:±", "num strong:B/A", "text:difference")
	last := ""
	for _, f := range c.figures {
		if f.Detail != detail {
			continue
		}
		head := f.Group
		if f.Users > 0 {
			head += " at " + format.Plural(f.Users, "user")
		}
		if head != last {
			t.add("group", head)
			last = head
		}
		class := "soft"
		if judge(f.A, f.B) == larger {
			class = "differs"
		}
		t.add(class, f.texts())
	}
	return section{ID: id, Title: title, Lead: "Medians of the repeats; ± is half their range.",
		Blocks: []block{{Table: t}}}
}

// WriteText writes the comparison for a terminal: all figures of whole workloads, and those of single transactions that
// differ by more than noise.
func (c *Comparison) WriteText(w io.Writer) error {
	var b strings.Builder
	var files [][]string
	for _, side := range c.sides() {
		files = append(files, []string{side.name, strings.Join(side.names(), " "), side.origin()})
	}
	writeAligned(&b, files, "lll")
	for _, side := range c.sides() {
		for _, s := range side.stamps() {
			if s.Class != "aside" {
				fmt.Fprintf(&b, "%s %s: %s\n", side.name, s.Word, joined(" ", s.Text, strings.Join(s.Reasons, "; ")))
			}
		}
	}
	for _, d := range c.differ {
		fmt.Fprintf(&b, "%s differs: A %s; B %s\n", d.Name, cmp.Or(d.A, "none"), cmp.Or(d.B, "none"))
	}
	for _, line := range c.remarks {
		b.WriteString(line + "\n")
	}
	b.WriteString("\n")
	rows := [][]string{{"", "users", "figure", "A", "", "B", "", "B/A", "difference"}}
	last := ""
	for _, f := range c.figures {
		if f.Detail && judge(f.A, f.B) != larger {
			continue
		}
		group, users := f.Group, ""
		if f.Users > 0 {
			users = format.Count(f.Users)
		}
		if key := group + users; key == last {
			group, users = "", ""
		} else {
			last = key
		}
		rows = append(rows, append([]string{group, users}, f.texts()...))
	}
	writeAligned(&b, rows, "lrlrrrrrl")
	if hidden := len(c.figures) - (len(rows) - 1); hidden > 0 { // the counts include them
		fmt.Fprintf(&b, "%d of %d figures are not shown: those of single transactions, within noise or of unknown noise. "+
			"--out FILE writes all to a page.\n", hidden, len(c.figures))
	}
	verdict := c.conclude()
	fmt.Fprintf(&b, "\n%s\n%s\n\nVerdict on B against A: %s: %s.\n", countVerdicts(c.figures), ruleText, verdict.Word,
		verdict.Text)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteRepeats writes the figures of repeated runs for a terminal, a line for each, and their medians with half their
// range.
func WriteRepeats(w io.Writer, runs []*result.Run) error {
	rows := [][]string{{""}}
	for i := range runs {
		rows = append(rows, []string{fmt.Sprintf("run %d", i+1)})
	}
	rows = append(rows, []string{"median"}, []string{"spread"})
	for _, f := range []struct {
		name  string
		write func(float64) string
		of    func(*result.Run) float64
	}{
		{"goodput/s", format.Figure, goodput}, {"tps", format.Figure, tps}, {"p50 ms", millis, p50},
		{"p95 ms", millis, p95}, {"p99 ms", millis, p99},
	} {
		values := group{Runs: runs}.values(f.of)
		column := []string{f.name}
		for _, v := range values {
			column = append(column, f.write(v))
		}
		for i, text := range append(column, f.write(values.median()), values.spread()) {
			rows[i] = append(rows[i], text)
		}
	}
	for i, r := range runs {
		switch {
		case isInvalid(r):
			rows[i+1] = append(rows[i+1], "INVALID")
		case r.Validity.Smoke:
			rows[i+1] = append(rows[i+1], "SMOKE")
		}
	}
	var b strings.Builder
	writeAligned(&b, rows, "lrrrrrl")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeAligned writes columns of text, aligned to the left, and of figures, aligned to the right, which a tabwriter
// cannot mix in one table.
func writeAligned(b *strings.Builder, rows [][]string, sides string) {
	widths := make([]int, len(sides))
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, text := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if sides[i] == 'r' {
				text = pad + text
			} else {
				text += pad
			}
			line.WriteString(text + "  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
