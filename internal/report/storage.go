package report

import (
	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

// growthSection shows whether users insert at the same rate as the database grows.
func growthSection(c *campaign.Record) section {
	t := newTable("Inserts by stage",
		"stage", "documents before", "inserted", "num strong:a second", "GB/h", "of the first", "p99 ms", "database after",
		"users")
	var series []chart.Series
	for _, step := range c.Steps {
		for _, stages := range campaign.ByWorkload(step.Inserts) {
			line := chart.Series{Name: stages[0].Workload, Slot: len(series)}
			t.add("group", cell{Text: line.Name, Draw: chart.Swatch(line.Slot)})
			for _, g := range stages {
				line.Points = append(line.Points, chart.Point{X: float64(g.Before), Y: g.Rate})
				class, stage := "", cell{Text: format.Count(g.Stage)}
				if g.Run.Validity.Invalid() {
					class, stage.Aside = "invalid", "INVALID"
				}
				t.add(class, stage, g.Before, g.Documents, g.Rate, perHour(c, g.Workload, g.Rate),
					percent(ratio(g.Rate, stages[0].Rate), 0), micros(g.Run.Total.Latency.P99), size(g.Total), g.Run.Model.Users)
			}
			series = append(series, line)
		}
	}
	return section{ID: "growth", Blocks: []block{{Table: t,
		Charts: figure("Rate against size", chart.Lines{
			Title: "Inserts through the transactions: documents a second against documents already stored",
			X:     "documents of the kind before the stage", Y: "documents a second",
			Series: series, FormatX: axisText, FormatY: axisText,
		})}}}
}

// perHour returns the GB of documents of an insert workload that a rate a second inserts in an hour, by their mean size
// in the database, or 0 where that is not known.
func perHour(c *campaign.Record, workload string, rate float64) float64 {
	kind, inserts := map[string]string{"insert-orders": "order", "insert-customers": "customer"}[workload]
	s := plainSpace(c)
	if !inserts || s == nil {
		return 0
	}
	for _, k := range s.Kinds {
		if k.Kind == kind {
			return rate * ratio(float64(k.Raw), float64(k.Documents)) * 3600 / 1e9
		}
	}
	return 0
}

// hourText returns the GB/h of an insert workload, or "" for others.
func hourText(c *campaign.Record, r *result.Run) string {
	if gb := perHour(c, r.Workload.Name, r.Goodput); gb > 0 {
		return format.Figure(gb) + " GB/h"
	}
	return ""
}

// spaceSection shows the size of the database and what compression saves by kind of document.
func spaceSection(c *campaign.Record) section {
	s := section{ID: "space"}
	for _, step := range c.Steps {
		if step.Space != nil {
			s.Blocks = append(s.Blocks, block{Table: spaceTable(step.Space)})
		}
	}
	return s
}

func spaceTable(s *campaign.Space) *table {
	t := newTable("Space by kind of document", "text:", "documents", "raw", "mean raw", "stored", "num strong:of raw")
	documents := int64(0)
	for _, k := range s.Kinds {
		documents += k.Documents
		raw, stored := float64(k.Raw), float64(k.Stored)
		t.add("", k.Kind, k.Documents, size(raw), size(ratio(raw, float64(k.Documents))), size(stored),
			percent(ratio(stored, raw), 1))
	}
	share := func(bytes int64) float64 { return ratio(float64(bytes), float64(s.Raw)) }
	beside := func(name string, bytes int64) {
		t.add("soft", name, "", "", "", size(bytes), percent(share(bytes), 1))
	}
	for _, index := range s.Indexes {
		beside("index "+index.Name, index.Bytes)
	}
	beside("the rest", s.Rest)
	t.add("total", "database", documents, size(s.Raw), "", size(s.Total), percent(share(s.Total), 1))
	if s.Journal > 0 {
		t.add("soft", "journal (not included)", "", "", "", size(s.Journal), "")
	}
	return t
}

// plainSpace returns the space that the database took, or nil when it was not measured.
func plainSpace(c *campaign.Record) *campaign.Space {
	for _, step := range c.Steps {
		if s := step.Space; s != nil && s.Raw > 0 {
			return s
		}
	}
	return nil
}
