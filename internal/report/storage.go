package report

import (
	"fmt"
	"slices"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
)

// growthSection shows whether inserts keep their rate as the database grows: through the transactions and by bulk load.
func growthSection(c *campaign.Record) section {
	return section{ID: "growth", Title: "Insert rate against size",
		Lead: "Only inserts through the transactions (many users, one commit for each document) are compared with " +
			"published rates. The bulk load puts many documents into one commit.",
		Blocks: append([]block{insertBlock(c)}, loadBlocks(c)...)}
}

// insertBlock shows the stages of each workload together, though they were measured alternately.
func insertBlock(c *campaign.Record) block {
	t := newTable("Inserts by stage",
		"stage", "documents before", "inserted", "num strong:a second", "of the first", "p99 ms", "database after", "users")
	var series []chart.Series
	for _, step := range c.Steps {
		for _, stages := range byWorkload(step.Inserts) {
			line := chart.Series{Name: stages[0].Workload, Slot: len(series)}
			t.add("group", cell{Text: withVariant(line.Name, step.Variant), Draw: chart.Swatch(line.Slot)})
			for _, g := range stages {
				line.Points = append(line.Points, chart.Point{X: float64(g.Before), Y: g.Rate})
				class, stage := "", cell{Text: format.Count(g.Stage)}
				if isInvalid(&g.Run) {
					class, stage.Aside = "invalid", "INVALID"
				}
				t.add(class, stage, g.Before, g.Documents, g.Rate, percent(ratio(g.Rate, stages[0].Rate), 0),
					micros(g.Run.Total.Latency.P99), size(g.Total), g.Run.Model.Users)
			}
			series = append(series, line)
		}
	}
	return block{Title: "Through the transactions, one commit each", Table: t,
		Charts: growthCharts("Inserts through the transactions", series)}
}

func byWorkload(stages []campaign.Growth) (all [][]campaign.Growth) {
	for _, g := range stages {
		at := slices.IndexFunc(all, func(of []campaign.Growth) bool { return of[0].Workload == g.Workload })
		if at < 0 {
			at = len(all)
			all = append(all, nil)
		}
		all[at] = append(all[at], g)
	}
	return all
}

func loadBlocks(c *campaign.Record) (blocks []block) {
	for _, step := range c.Steps {
		load := step.Load
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
			t.add("", stage.Kind, stage.Before, stage.Documents, size(stage.Bytes), seconds(stage.Seconds), stage.Rate,
				ratio(float64(stage.Bytes)/1e6, stage.Seconds))
		}
		note := fmt.Sprintf("%s documents, %s raw, in %s; %s of it after the last document, for indexes.",
			format.Count(load.Documents), format.Bytes(load.Bytes), seconds(step.Seconds), seconds(load.Finish))
		blocks = append(blocks, block{Title: withVariant("Bulk load", step.Variant), Note: note, Table: t,
			Charts: growthCharts("Bulk load", series)})
	}
	return blocks
}

// growthCharts draws the series that have more than one stage.
func growthCharts(title string, series []chart.Series) []figureView {
	series = slices.DeleteFunc(series, func(s chart.Series) bool { return len(s.Points) < 2 })
	return figure("Rate against size", chart.Lines{
		Title: title + ": documents a second against documents already stored",
		X:     "documents of the kind before the stage", Y: "documents a second",
		Series: series, FormatX: axisText, FormatY: axisText,
	})
}

// spaceSection shows the size of the database and what compression saves by kind of document.
func spaceSection(c *campaign.Record) section {
	s := section{ID: "space", Title: "Space and compression",
		Lead: "Raw is the size of the documents as a client gets them. Stored is the space of their tables, with all " +
			"overhead."}
	for _, step := range c.Steps {
		if step.Space == nil {
			continue
		}
		title := step.Name
		if v := step.Variant; v != nil && !strings.Contains(title, v.Name) {
			title = withVariant(title, v)
		}
		s.Blocks = append(s.Blocks, block{Title: title, Table: spaceTable(step.Space)})
	}
	return s
}

func spaceTable(s *campaign.Space) *table {
	t := newTable("Space by kind of document", "text:", "documents", "raw", "mean raw", "stored", "num strong:of raw",
		"against raw", "bar:raw (hollow), stored")
	most, documents := 1.0, int64(0)
	for _, k := range s.Kinds {
		most, documents = max(most, float64(k.Raw), float64(k.Stored)), documents+k.Documents
	}
	for slot, k := range s.Kinds {
		raw, stored := float64(k.Raw), float64(k.Stored)
		t.add("", k.Kind, k.Documents, size(raw), size(ratio(raw, float64(k.Documents))), size(stored),
			percent(ratio(stored, raw), 1), signed(ratio(stored, raw)-1), chart.Pair(slot, raw/most, stored/most))
	}
	share := func(bytes int64) float64 { return ratio(float64(bytes), float64(s.Raw)) }
	beside := func(name string, bytes int64) {
		t.add("soft", name, "", "", "", size(bytes), percent(share(bytes), 1), "", "")
	}
	for _, index := range s.Indexes {
		beside("index "+index.Name, index.Bytes)
	}
	beside("the rest", s.Rest)
	t.add("total", "database", documents, size(s.Raw), "", size(s.Total), percent(share(s.Total), 1),
		signed(share(s.Total)-1), "")
	if s.Journal > 0 {
		t.add("soft", "journal (not included)", "", "", "", size(s.Journal), "", "", "")
	}
	return t
}

// plainSpace returns the space that the database took with the default settings, or nil when it was not measured.
func plainSpace(c *campaign.Record) *campaign.Space {
	for _, step := range c.Steps {
		if s := step.Space; s != nil && s.Raw > 0 && step.Variant == nil {
			return s
		}
	}
	return nil
}
