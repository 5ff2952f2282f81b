package report

import (
	"fmt"
	"math"
	"slices"

	"brokerage/internal/campaign"
	"brokerage/internal/report/chart"
)

// growthSection asks whether inserts hold their rate as the database grows: the bulk load and the transactions apart.
func growthSection(c *campaign.Record) *section {
	s := &section{ID: "growth", Title: "Insert rate against size",
		Lead: "Only inserts through the transactions, many users with a commit for each document, stand beside published rates. The bulk load puts many documents into one commit."}
	s.Blocks = append(s.Blocks, insertBlocks(c)...)
	s.Blocks = append(s.Blocks, loadBlocks(c)...)
	if len(s.Blocks) == 0 {
		return nil
	}
	return s
}

// insertBlocks shows each workload's stages together, though they were measured by turns.
func insertBlocks(c *campaign.Record) []block {
	t := &table{Label: "Inserts by stage", Columns: columns([2]string{"num", "stage"}, [2]string{"num", "documents before"}, [2]string{"num", "inserted"},
		[2]string{"num strong", "a second"}, [2]string{"num", "of the first"}, [2]string{"num", "p99 ms"}, [2]string{"num", "database after"}, [2]string{"num", "users"})}
	var series []chart.Series
	for i := range c.Steps {
		for _, stages := range byWorkload(c.Steps[i].Inserts) {
			line := chart.Series{Name: stages[0].Workload, Slot: len(series)}
			head := line.Name
			if v := c.Steps[i].Variant; v != nil {
				head += ", " + v.Name
			}
			t.add("group", cell{Text: head, Draw: chart.Swatch(line.Slot)})
			for _, g := range stages {
				line.Points = append(line.Points, chart.Point{X: float64(g.Before), Y: g.Rate})
				class := ""
				cells := texts(wholeText(float64(g.Stage)), countText(g.Before), countText(g.Documents), figure(g.Rate), percent(g.Rate/math.Max(stages[0].Rate, 1e-9), 0),
					millis(g.Run.Total.Latency.P99), bytesText(float64(g.Total)), wholeText(float64(g.Run.Model.Users)))
				if isInvalid(&g.Run) {
					class, cells[0].Aside = "invalid", "INVALID"
				}
				t.add(class, cells...)
			}
			series = append(series, line)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []block{{Title: "Through the transactions, one commit each", Charts: growthCharts("Inserts through the transactions", series), Table: t}}
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
		t := &table{Label: "Bulk load by stage", Columns: columns([2]string{"text", "documents"}, [2]string{"num", "before"}, [2]string{"num", "loaded"}, [2]string{"num", "raw"},
			[2]string{"num", "took"}, [2]string{"num strong", "a second"}, [2]string{"num", "raw MB/s"})}
		var series []chart.Series
		for _, stage := range load.Stages {
			at := slices.IndexFunc(series, func(s chart.Series) bool { return s.Name == stage.Kind })
			if at < 0 {
				at = len(series)
				series = append(series, chart.Series{Name: stage.Kind, Slot: at})
			}
			series[at].Points = append(series[at].Points, chart.Point{X: float64(stage.Before), Y: stage.Rate})
			t.add("", texts(stage.Kind, countText(stage.Before), countText(stage.Documents), bytesText(float64(stage.Bytes)), secondsText(stage.Seconds),
				figure(stage.Rate), figure(float64(stage.Bytes)/1e6/math.Max(stage.Seconds, 1e-9)))...)
		}
		title := "Bulk load"
		if v := c.Steps[i].Variant; v != nil {
			title += ", " + v.Name
		}
		note := fmt.Sprintf("%s documents, %s raw, in %s; %s of it after the last document, for indexes.", countText(load.Documents), bytesText(float64(load.Bytes)),
			secondsText(c.Steps[i].Seconds), secondsText(load.Finish))
		blocks = append(blocks, block{Title: title, Note: note, Charts: growthCharts("Bulk load", series), Table: t})
	}
	return blocks
}

// growthCharts draws a chart of those kinds that have more than one stage.
func growthCharts(title string, series []chart.Series) []figureView {
	series = slices.DeleteFunc(slices.Clone(series), func(s chart.Series) bool { return len(s.Points) < 2 })
	if len(series) == 0 {
		return nil
	}
	return []figureView{{"Rate against size", chart.Lines{Title: title + ": documents a second against documents that were there", X: "documents of the kind before the stage", Y: "documents a second",
		Series: series, FormatX: compact, FormatY: compact}.HTML()}}
}

// compact writes large figures at an axis: 250 k, 1.5 M.
func compact(v float64) string {
	units := []string{"", " k", " M", " G"}
	i := 0
	for v >= 10_000 || (i > 0 && v >= 1000) {
		v, i = v/1000, i+1
	}
	if i == 0 {
		return figureOf(v)
	}
	return figureOf(v) + units[i]
}
