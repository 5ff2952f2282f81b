package report

import (
	"cmp"
	"html/template"
	"io"

	"brokerage/internal/compare"
	"brokerage/internal/report/chart"
)

// WriteCompared writes a comparison by slices as a page.
func WriteCompared(w io.Writer, r *compare.Result) error {
	class := map[compare.Verdict]string{compare.Slower: "verdict worse", compare.Faster: "verdict better",
		compare.Invalid: "invalid"}[r.Verdict]
	p := page{
		Title: "A and B compared", Subtitle: "Changes are those of B against A, with their 95 % intervals.",
		Banners: []banner{{Class: cmp.Or(class, "verdict"), Word: string(r.Verdict), Text: r.Answer}},
	}
	for _, note := range r.Notes {
		p.Banners = append(p.Banners, banner{Class: "aside", Word: "Note", Text: note})
	}
	for i, side := range r.Sides {
		p.Facts = append(p.Facts, fact{string(rune('A' + i)), joined(", ", side.Name, side.Target.Engine,
			side.Settings["durability"], prefixed("brokerage ", side.Target.Version))})
	}
	p.Facts = append(p.Facts, fact{"Measured", joined(", ", minute(r.Started), seconds(r.Took), r.How())})
	p.Facts = append(p.Facts, known(stampFacts(r.Dataset, r.Machine))...)

	settings := newTable("text:setting", "text:A", "text:B")
	for _, name := range r.Differing() {
		settings.add("", name, cmp.Or(r.Sides[0].Settings[name], "–"), cmp.Or(r.Sides[1].Settings[name], "–"))
	}
	p.add(section{ID: "blocks", Blocks: []block{{Charts: comparedCharts(r)}}},
		section{ID: "figures", Blocks: []block{
			{Table: comparedTable(r.Figures)},
			{Title: "Mean times of single transactions", Table: comparedTable(r.Transactions)},
		}},
		section{ID: "settings", Blocks: []block{{Table: settings}}})
	return p.write(w)
}

// comparedCharts draws the paired blocks over time: their changes, with the interval as it becomes narrower, and both
// sides.
func comparedCharts(r *compare.Result) template.HTML {
	name, unit := "", ""
	for i := range r.Figures { // the first figure that decides is the one in the blocks
		if row := &r.Figures[i]; row.Decides && name == "" {
			name, unit = row.Name, row.Unit
		}
	}
	changes := chart.Chart{
		Title: "Change of " + name + " by block, and its 95 % interval at each look", X: "minutes", Y: "B against A, %",
		Series: []chart.Series{{}}, Scattered: true, Band: 100 * r.Tolerance,
	}
	sides := chart.Chart{
		Title: "Both sides by block", X: "minutes", Y: name + ", " + unit,
		Series: []chart.Series{{Name: "A"}, {Name: "B", Slot: 1}}, Scattered: true,
	}
	add := func(s *chart.Series, at, y float64) { s.Points = append(s.Points, chart.Point{X: at / 60, Y: y}) }
	for _, b := range r.Blocks {
		add(&changes.Series[0], b.At, 100*b.Change)
		add(&sides.Series[0], b.At, b.A)
		add(&sides.Series[1], b.At, b.B)
	}
	for _, look := range r.Looks {
		if look.Known() { // a wider interval would leave the blocks no height
			changes.Reach = append(changes.Reach, chart.Point{
				X: look.At / 60, Y: 100 * look.Estimate, Low: 100 * look.Low, High: 100 * look.High,
			})
		}
	}
	return changes.HTML() + sides.HTML()
}

func comparedTable(rows []compare.Row) *table {
	t := newTable("text:figure", "A", "B", "num strong:B against A", "95 %")
	for i := range rows {
		row, class := &rows[i], "soft"
		if row.Differs() {
			class = "differs"
		}
		t.add(class, cell{Text: row.Name, Aside: row.Unit}, row.A, row.B, signed(row.Change.Estimate), row.Change.String())
	}
	return t
}
