package report

import (
	"math"
	"strings"

	"brokerage/internal/campaign"
	"brokerage/internal/report/chart"
)

// spaceSection says where the bytes are, and what compression saves by kind of document.
func spaceSection(c *campaign.Record) *section {
	s := &section{ID: "space", Title: "Space and compression",
		Lead: "Raw is the size of the documents as a client gets them. Stored is what the store keeps for them, with all that their table takes beside them."}
	for i := range c.Steps {
		if c.Steps[i].Space == nil {
			continue
		}
		title := c.Steps[i].Name
		if v := c.Steps[i].Variant; v != nil && !strings.Contains(title, v.Name) {
			title += ", " + v.Name
		}
		s.Blocks = append(s.Blocks, block{Title: title, Table: spaceTable(c.Steps[i].Space)})
	}
	if len(s.Blocks) == 0 {
		return nil
	}
	return s
}

func spaceTable(s *campaign.Space) *table {
	t := &table{Label: "Space by kind of document", Columns: columns([2]string{"text", ""}, [2]string{"num", "documents"}, [2]string{"num", "raw"}, [2]string{"num", "mean raw"},
		[2]string{"num", "stored"}, [2]string{"num strong", "of raw"}, [2]string{"num", "against raw"}, [2]string{"bar", "raw (hollow), stored"})}
	most := 1.0
	for _, k := range s.Kinds {
		most = max(most, float64(k.Raw), float64(k.Stored))
	}
	documents := int64(0)
	for slot, k := range s.Kinds {
		documents += k.Documents
		ratio := float64(k.Stored) / math.Max(float64(k.Raw), 1)
		cells := texts(k.Kind, countText(k.Documents), bytesText(float64(k.Raw)), bytesText(float64(k.Raw)/math.Max(float64(k.Documents), 1)), bytesText(float64(k.Stored)),
			percent(ratio, 1), signed(ratio-1))
		t.add("", append(cells, cell{Draw: chart.Pair(slot, float64(k.Raw)/most, float64(k.Stored)/most)})...)
	}
	beside := func(name string, bytes int64) {
		t.add("soft", texts(name, "", "", "", bytesText(float64(bytes)), percent(float64(bytes)/math.Max(float64(s.Raw), 1), 1), "", "")...)
	}
	for _, index := range s.Indexes {
		beside("index "+index.Name, index.Bytes)
	}
	beside("the rest", s.Rest)
	ratio := float64(s.Total) / math.Max(float64(s.Raw), 1)
	t.add("total", texts("database", countText(documents), bytesText(float64(s.Raw)), "", bytesText(float64(s.Total)), percent(ratio, 1), signed(ratio-1), "")...)
	if s.Journal > 0 {
		t.add("soft", texts("journal, apart", "", "", "", bytesText(float64(s.Journal)), "", "", "")...)
	}
	return t
}
