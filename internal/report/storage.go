package report

import (
	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

// growthSection shows whether users still insert at the same rate when the database has grown.
func growthSection(c *campaign.Record) section {
	t := newTable("stage", "documents before", "inserted", "num strong:a second", "GB/h", "against stage 1", "p99 ms",
		"database after", "users")
	rates := chart.Chart{Title: "Inserts by stage", X: "documents of the kind before the stage", Y: "documents a second"}
	for _, step := range c.Steps {
		for _, stages := range campaign.ByWorkload(step.Inserts) {
			line := chart.Series{Name: stages[0].Workload, Slot: len(rates.Series)}
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
			rates.Series = append(rates.Series, line)
		}
	}
	return section{ID: "growth", Blocks: []block{{Table: t, Charts: rates.HTML()}}}
}

// perHour returns how many GB of documents an insert workload inserts in an hour at a rate a second, by the mean raw
// size of such documents in the database, or 0 if that is not known.
func perHour(c *campaign.Record, workload string, rate float64) float64 {
	kind := map[string]string{"insert-orders": "order", "insert-customers": "customer"}[workload]
	for _, k := range spaceOf(c).Kinds {
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
	t := newTable("text:", "documents", "raw", "mean raw", "stored", "num strong:of raw")
	s, documents := spaceOf(c), int64(0)
	for _, k := range s.Kinds {
		documents += k.Documents
		raw, stored := float64(k.Raw), float64(k.Stored)
		t.add("", k.Kind, k.Documents, size(raw), size(ratio(raw, float64(k.Documents))), size(stored),
			percent(ratio(stored, raw), 1))
	}
	beside := func(class, name string, bytes int64) {
		if bytes > 0 {
			t.add(class, name, "", "", "", size(bytes), percent(ratio(float64(bytes), float64(s.Raw)), 1))
		}
	}
	for _, index := range s.Indexes {
		beside("soft", "index "+index.Name, index.Bytes)
	}
	beside("soft", "the rest", s.Rest)
	if s.Total > 0 {
		t.add("total", "database", documents, size(s.Raw), "", size(s.Total),
			percent(ratio(float64(s.Total), float64(s.Raw)), 1))
	}
	beside("soft", "journal (not included)", s.Journal)
	return section{ID: "space", Blocks: []block{{Table: t}}}
}

// spaceOf returns the space that the database took, which is empty when it was not measured.
func spaceOf(c *campaign.Record) (s campaign.Space) {
	for _, step := range c.Steps {
		if step.Space != nil {
			s = *step.Space
		}
	}
	return s
}
