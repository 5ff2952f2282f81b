package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"brokerage/internal/compare"
	"brokerage/internal/report/chart"
)

// WriteCompared writes a comparison by slices as a page.
func WriteCompared(w io.Writer, r *compare.Result) error {
	p := page{Title: "A and B compared", Subtitle: "Changes are those of B against A, with their 95 % intervals."}
	class := map[compare.Verdict]string{compare.Slower: "verdict worse", compare.Faster: "verdict better",
		compare.Invalid: "invalid"}[r.Verdict]
	p.Banners = append(p.Banners, banner{Class: cmp.Or(class, "verdict"), Word: string(r.Verdict), Text: r.Answer})
	for _, note := range r.Notes {
		p.Banners = append(p.Banners, banner{Class: "aside", Word: "Note", Text: note})
	}
	for i, side := range r.Sides {
		p.Facts = append(p.Facts, fact{string(rune('A' + i)), joined(", ", side.Name, side.Target.Engine,
			side.Settings["durability"], prefixed("brokerage ", side.Target.Version))})
	}
	p.Facts = append(p.Facts, fact{"Measured", joined(", ", minute(r.Started), seconds(r.Took), r.How())})
	p.Facts = append(p.Facts, datasetFacts(r.Dataset)...)
	p.add(comparedPictures(r), comparedFigures(r), comparedSettings(r))
	return p.write(w)
}

// comparedPictures returns the paired points over time, and the interval as it becomes narrower.
func comparedPictures(r *compare.Result) section {
	s := section{ID: "blocks"}
	i := slices.IndexFunc(r.Figures, func(row compare.Row) bool { return row.Decides })
	if i < 0 || len(r.Blocks) == 0 {
		return s
	}
	row := &r.Figures[i]
	changes := chart.Spread{Band: [2]float64{-100 * r.Tolerance, 100 * r.Tolerance}, Lines: chart.Lines{
		Title: "Change of " + row.Name + " from A to B by block", X: "minutes", Y: "B against A, " + row.Name + ", %",
		Series: []chart.Series{{}}, FormatX: axisText, FormatY: axisText,
	}}
	pairs := chart.Spread{Lines: chart.Lines{
		Title: row.Name + " of A and B by block", X: "minutes", Y: row.Name + ", " + row.Unit,
		Series: []chart.Series{{Name: "A"}, {Name: "B", Slot: 1}}, FormatX: axisText, FormatY: axisText,
	}}
	for _, b := range r.Blocks {
		x := b.At / 60
		changes.Series[0].Points = append(changes.Series[0].Points, chart.Point{X: x, Y: 100 * b.Change})
		pairs.Series[0].Points = append(pairs.Series[0].Points, chart.Point{X: x, Y: b.A})
		pairs.Series[1].Points = append(pairs.Series[1].Points, chart.Point{X: x, Y: b.B})
	}
	for _, look := range r.Looks {
		changes.Reach = append(changes.Reach, chart.Point{
			X: look.At / 60, Y: 100 * look.Estimate, Low: 100 * look.Low, High: 100 * look.High,
		})
	}
	s.Blocks = []block{
		{Charts: []figureView{{Caption: "The change, and its 95 % interval at each look", Drawing: changes.HTML()}},
			After: fmt.Sprintf("The grey band is what counts as equal, within %s.", percent(r.Tolerance, 1))},
		{Charts: []figureView{{Caption: "Both sides", Drawing: pairs.HTML()}}},
	}
	return s
}

func comparedFigures(r *compare.Result) section {
	s := section{ID: "figures"}
	for _, part := range []struct {
		title string
		rows  []compare.Row
	}{{"", r.Figures}, {"Mean times of single transactions", r.Transactions}} {
		t := newTable("Figures of both sides", "text:figure", "A", "B", "num strong:B against A", "95 %")
		for i := range part.rows {
			row, class := &part.rows[i], "soft"
			if row.Differs() {
				class = "differs"
			}
			t.add(class, cell{Text: row.Name, Aside: row.Unit}, row.A, row.B, signed(row.Change.Estimate), row.Change.String())
		}
		s.Blocks = append(s.Blocks, block{Title: part.title, Table: t})
	}
	return s
}

// comparedSettings lists the settings of the stores that differ.
func comparedSettings(r *compare.Result) section {
	t := newTable("Settings that differ", "text:setting", "text:A", "text:B")
	for _, name := range r.Differing() {
		t.add("", name, cmp.Or(r.Sides[0].Settings[name], "–"), cmp.Or(r.Sides[1].Settings[name], "–"))
	}
	return section{ID: "settings", Blocks: []block{{Table: t}}}
}
