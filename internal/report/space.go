package report

import (
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
)

// spaceSection shows the size of the database and what compression saves by kind of document.
func spaceSection(c *campaign.Record) *section {
	s := &section{ID: "space", Title: "Space and compression",
		Lead: "Raw is the size of the documents as a client gets them. Stored is the space of their tables, with all " +
			"overhead."}
	for i := range c.Steps {
		if c.Steps[i].Space == nil {
			continue
		}
		title := c.Steps[i].Name
		if v := c.Steps[i].Variant; v != nil && !strings.Contains(title, v.Name) {
			title = withVariant(title, v)
		}
		s.Blocks = append(s.Blocks, block{Title: title, Table: spaceTable(c.Steps[i].Space)})
	}
	return s
}

func spaceTable(s *campaign.Space) *table {
	t := newTable("Space by kind of document", "text:", "documents", "raw", "mean raw", "stored", "num strong:of raw",
		"against raw", "bar:raw (hollow), stored")
	most := 1.0
	for _, k := range s.Kinds {
		most = max(most, float64(k.Raw), float64(k.Stored))
	}
	documents := int64(0)
	for slot, k := range s.Kinds {
		documents += k.Documents
		raw, stored := float64(k.Raw), float64(k.Stored)
		cells := texts(k.Kind, format.Count(k.Documents), format.Bytes(raw), format.Bytes(ratio(raw, float64(k.Documents))),
			format.Bytes(stored), percent(ratio(stored, raw), 1), signed(ratio(stored, raw)-1))
		t.add("", append(cells, cell{Draw: chart.Pair(slot, raw/most, stored/most)})...)
	}
	beside := func(name string, bytes int64) {
		t.add("soft", texts(name, "", "", "", format.Bytes(bytes), percent(ratio(float64(bytes), float64(s.Raw)), 1), "",
			"")...)
	}
	for _, index := range s.Indexes {
		beside("index "+index.Name, index.Bytes)
	}
	beside("the rest", s.Rest)
	share := ratio(float64(s.Total), float64(s.Raw))
	t.add("total", texts("database", format.Count(documents), format.Bytes(s.Raw), "", format.Bytes(s.Total),
		percent(share, 1), signed(share-1), "")...)
	if s.Journal > 0 {
		t.add("soft", texts("journal (not included)", "", "", "", format.Bytes(s.Journal), "", "", "")...)
	}
	return t
}
