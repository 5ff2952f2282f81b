package report

import (
	"io"
	"strings"

	"brokerage/internal/format"
)

// WriteHTML writes the comparison as a page.
func (c *Comparison) WriteHTML(w io.Writer) error {
	verdict, n := c.conclude(), c.counts()
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
		&section{ID: "rule", Title: "The rule", Lead: ruleText, Blocks: []block{{Note: n.String()}}})
	return p.write(w)
}

// lettered is a side of a comparison with its letter.
type lettered struct {
	name string
	*File
}

func (c *Comparison) sides() []lettered { return []lettered{{"A", c.a}, {"B", c.b}} }

func (c *Comparison) differencesSection() *section {
	differ := newTable("What else differs", "text:", "text:A", "text:B")
	for _, d := range c.differ {
		differ.addTexts(d.Name, orNone(d.A), orNone(d.B))
	}
	remarks := newTable("Remarks", "text:remarks")
	for _, line := range c.remarks {
		remarks.addTexts(line)
	}
	differ.Class, remarks.Class = "beside", "beside"
	return &section{ID: "beside", Title: "What else differs", Lead: "Other possible causes of a difference in the " +
		"figures.",
		Blocks: []block{{Table: differ}, {Table: remarks}}}
}

func (c *Comparison) figuresSection(id, title string, detail bool) *section {
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
			t.add("group", cell{Text: head})
			last = head
		}
		class := "soft"
		if judge(f.A, f.B) == larger {
			class = "differs"
		}
		t.add(class, texts(f.Name, f.write(f.A.median()), f.A.spreadText(), f.write(f.B.median()), f.B.spreadText(),
			times(f.ratio(), 3), f.outcome())...)
	}
	return &section{ID: id, Title: title, Lead: "Medians of the repeats; ± is half their range.",
		Blocks: []block{{Table: t}}}
}
