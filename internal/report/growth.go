package report

import (
	"fmt"
	"slices"
	"strconv"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
)

// growthSection shows whether inserts keep their rate as the database grows: through the transactions and by bulk load.
func growthSection(c *campaign.Record) *section {
	return &section{ID: "growth", Title: "Insert rate against size",
		Lead: "Only inserts through the transactions (many users, one commit for each document) are compared with " +
			"published rates. The bulk load puts many documents into one commit.",
		Blocks: append([]block{insertBlock(c)}, loadBlocks(c)...)}
}

// insertBlock shows the stages of each workload together, though they were measured alternately.
func insertBlock(c *campaign.Record) block {
	t := newTable("Inserts by stage",
		"stage", "documents before", "inserted", "num strong:a second", "of the first", "p99 ms", "database after", "users")
	var series []chart.Series
	for i := range c.Steps {
		for _, stages := range byWorkload(c.Steps[i].Inserts) {
			line := chart.Series{Name: stages[0].Workload, Slot: len(series)}
			t.add("group", cell{Text: withVariant(line.Name, c.Steps[i].Variant), Draw: chart.Swatch(line.Slot)})
			for _, g := range stages {
				line.Points = append(line.Points, chart.Point{X: float64(g.Before), Y: g.Rate})
				class := ""
				cells := texts(format.Count(g.Stage), format.Count(g.Before), format.Count(g.Documents), format.Figure(g.Rate),
					percent(ratio(g.Rate, stages[0].Rate), 0), millis(g.Run.Total.Latency.P99), format.Bytes(g.Total),
					format.Count(g.Run.Model.Users))
				if isInvalid(&g.Run) {
					class, cells[0].Aside = "invalid", "INVALID"
				}
				t.add(class, cells...)
			}
			series = append(series, line)
		}
	}
	return block{Title: "Through the transactions, one commit each", Table: t,
		Charts: growthCharts("Inserts through the transactions", series)}
}

func byWorkload(stages []campaign.Growth) [][]campaign.Growth {
	var all [][]campaign.Growth
	for _, g := range stages {
		at := slices.IndexFunc(all, func(of []campaign.Growth) bool { return of[0].Workload == g.Workload })
		if at < 0 {
			all = append(all, nil)
			at = len(all) - 1
		}
		all[at] = append(all[at], g)
	}
	return all
}

func loadBlocks(c *campaign.Record) []block {
	var blocks []block
	for i := range c.Steps {
		load := c.Steps[i].Load
		if load == nil || len(load.Stages) == 0 {
			continue
		}
		t := newTable("Bulk load by stage",
			"text:documents", "before", "loaded", "raw", "took", "num strong:a second", "raw MB/s")
		var series []chart.Series
		for _, stage := range load.Stages {
			at := slices.IndexFunc(series, func(s chart.Series) bool { return s.Name == stage.Kind })
			if at < 0 {
				at = len(series)
				series = append(series, chart.Series{Name: stage.Kind, Slot: at})
			}
			series[at].Points = append(series[at].Points, chart.Point{X: float64(stage.Before), Y: stage.Rate})
			t.addTexts(stage.Kind, format.Count(stage.Before), format.Count(stage.Documents), format.Bytes(stage.Bytes),
				seconds(stage.Seconds), format.Figure(stage.Rate), format.Figure(ratio(float64(stage.Bytes)/1e6, stage.Seconds)))
		}
		note := fmt.Sprintf("%s documents, %s raw, in %s; %s of it after the last document, for indexes.",
			format.Count(load.Documents), format.Bytes(load.Bytes), seconds(c.Steps[i].Seconds), seconds(load.Finish))
		blocks = append(blocks, block{Title: withVariant("Bulk load", c.Steps[i].Variant), Note: note, Table: t,
			Charts: growthCharts("Bulk load", series)})
	}
	return blocks
}

// withVariant adds the name of the settings to a title, unless they are the default ones.
func withVariant(title string, v *campaign.Variant) string {
	if v == nil {
		return title
	}
	return title + ", " + v.Name
}

// growthCharts draws the series that have more than one stage.
func growthCharts(title string, series []chart.Series) []figureView {
	series = slices.DeleteFunc(slices.Clone(series), func(s chart.Series) bool { return len(s.Points) < 2 })
	if len(series) == 0 {
		return nil
	}
	return []figureView{{"Rate against size", chart.Lines{
		Title: title + ": documents a second against documents already stored",
		X:     "documents of the kind before the stage", Y: "documents a second",
		Series: series, FormatX: compact, FormatY: compact,
	}.HTML()}}
}

// compact writes large figures at an axis: 250 k, 1.5 M.
func compact(v float64) string {
	units := []string{"", " k", " M", " G"}
	i := 0
	for v >= 10_000 || (i > 0 && v >= 1000) {
		v, i = v/1000, i+1
	}
	return axisText(v) + units[i]
}

// axisText writes a figure at an axis.
func axisText(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
