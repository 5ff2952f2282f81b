package report

import (
	"io"
	"slices"
	"strings"
)

// WriteHTML writes the comparison as a page.
func (c *Comparison) WriteHTML(w io.Writer) error {
	sum := c.tally()
	p := page{Title: "Two results compared", Subtitle: "Ratios are B by A: × 1.00 is no difference.", Sources: append(c.a.names(), c.b.names()...)}
	verdict := c.conclude()
	p.Banners = []banner{{Class: "verdict", Word: strings.ToUpper(verdict.Word), Text: "B against A: " + verdict.Text + "."}}
	for _, side := range []struct {
		name string
		*File
	}{{"A", c.a}, {"B", c.b}} {
		for _, stamp := range side.stamps() {
			stamp.Text = side.name + ": " + stamp.Text
			p.Banners = append(p.Banners, stamp)
		}
		p.Facts = append(p.Facts, fact{side.name, strings.Join(side.names(), ", ") + ", " + side.from()})
	}
	p.Facts = append(p.Facts, datasetFacts(c.a.dataset())...)
	p.Facts = filled(append(p.Facts, fact{"Durability", c.a.durability()}))
	p.Figures = []keyFigure{
		{Name: "better", Value: wholeText(float64(sum.better)), Unit: "larger than noise"},
		{Name: "worse", Value: wholeText(float64(sum.worse)), Unit: "larger than noise"},
		{Name: "no difference", Value: wholeText(float64(sum.within)), Unit: "within noise"},
		{Name: "cannot be told", Value: wholeText(float64(sum.unknown)), Unit: "noise unknown"},
	}
	p.add(c.besideSection(), c.figuresSection("figures", "Workloads and steps", false), c.figuresSection("transactions", "Transactions", true),
		&section{ID: "rule", Title: "The rule", Lead: ruleText, Blocks: []block{{Note: sum.String()}}})
	return p.write(w)
}

func (c *Comparison) besideSection() *section {
	s := &section{ID: "beside", Title: "What else differs", Lead: "What a difference in the figures may come from."}
	if len(c.beside) > 0 {
		t := &table{Label: "What else differs", Class: "beside", Columns: columns([2]string{"text", ""}, [2]string{"text", "A"}, [2]string{"text", "B"})}
		for _, d := range c.beside {
			t.add("", texts(d.Name, orNone(d.A), orNone(d.B))...)
		}
		s.Blocks = append(s.Blocks, block{Table: t})
	}
	if len(c.remarks) > 0 {
		t := &table{Label: "Remarks", Class: "beside", Columns: columns([2]string{"text", "remarks"})}
		for _, line := range c.remarks {
			t.add("", texts(line)...)
		}
		s.Blocks = append(s.Blocks, block{Table: t})
	}
	if len(s.Blocks) == 0 {
		return nil
	}
	return s
}

func (c *Comparison) figuresSection(id, title string, detail bool) *section {
	t := &table{Label: title, Columns: columns([2]string{"text", "figure"}, [2]string{"num", "A"}, [2]string{"num soft", "±"}, [2]string{"num", "B"},
		[2]string{"num soft", "±"}, [2]string{"num strong", "B/A"}, [2]string{"text", "difference"})}
	last := ""
	for _, f := range c.figures {
		if f.Detail != detail {
			continue
		}
		head := f.Group
		if f.Users > 0 {
			head += " at " + plural(f.Users, "user")
		}
		if head != last {
			t.add("group", cell{Text: head})
			last = head
		}
		class := "soft"
		if v := judge(f.A, f.B); v == larger {
			class = "differs"
		}
		t.add(class, texts(f.Name, f.format(f.A.median()), f.A.spreadText(), f.format(f.B.median()), f.B.spreadText(), "× "+fixed(f.ratio(), 3), f.outcome())...)
	}
	if !slices.ContainsFunc(t.Rows, func(r row) bool { return r.Class != "group" }) {
		return nil
	}
	return &section{ID: id, Title: title, Lead: "Medians of the repeats; ± is half their range.", Blocks: []block{{Table: t}}}
}
