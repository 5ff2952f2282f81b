package report

import (
	"fmt"

	"brokerage/internal/campaign"
	"brokerage/internal/report/chart"
	"brokerage/internal/workload"
)

func tierSection(c *campaign.Record) *section {
	var blocks []block
	for i := range c.Steps {
		if c.Steps[i].Tier != nil {
			blocks = append(blocks, tierBlocks(c.Steps[i].Tier)...)
		}
	}
	return tierOf(blocks)
}

func tierOf(blocks []block) *section {
	if len(blocks) == 0 {
		return nil
	}
	return &section{ID: "tier", Title: "What the application tier costs",
		Lead:   "The same workload on the same store, by turns: straight against the store, and through HTTP. Ratios are HTTP by direct: × 2.00 is twice.",
		Blocks: blocks}
}

func tierBlocks(t *workload.Tier) []block {
	note := fmt.Sprintf("%s, %s; %s of each.", t.Direct.Workload.Name, plural(t.Direct.Model.Users, "user"), plural(t.Slices, "turn"))
	if isInvalid(&t.Direct) || isInvalid(&t.HTTP) {
		note += " A side of it is INVALID."
	}
	blocks := []block{{Note: note, Table: tierTotals(t)}}
	if len(t.Transactions) == 0 {
		return blocks
	}
	rows := &table{Label: "Cost of the tier by transaction", Columns: columns([2]string{"text", "transaction"}, [2]string{"num", "direct, mean ms"}, [2]string{"num", "HTTP, mean ms"},
		[2]string{"num", "added ms"}, [2]string{"num strong", "ratio"}, [2]string{"num", "direct, p99 ms"}, [2]string{"num", "HTTP, p99 ms"}, [2]string{"num", "ratio"}, [2]string{"bar", "mean: direct (hollow), HTTP"})}
	most := 0.0
	for _, row := range t.Transactions {
		most = max(most, row.HTTPMean, row.DirectMean)
	}
	for _, row := range t.Transactions {
		cells := texts(row.Name, millis(row.DirectMean), millis(row.HTTPMean), millis(row.HTTPMean-row.DirectMean), "× "+fixed(row.Mean, 2),
			millis(row.DirectP99), millis(row.HTTPP99), "× "+fixed(row.P99, 2))
		cells[0].Aside = code(row.Name)
		rows.add("", append(cells, cell{Draw: chart.Pair(0, row.DirectMean/max(most, 1e-9), row.HTTPMean/max(most, 1e-9))})...)
	}
	return append(blocks, block{Title: "By transaction", Table: rows})
}

func tierTotals(t *workload.Tier) *table {
	totals := &table{Label: "Cost of the tier", Columns: columns([2]string{"text", "all transactions"}, [2]string{"num", "direct"}, [2]string{"num", "HTTP"}, [2]string{"num strong", "ratio"})}
	line := func(name string, direct, http, ratio float64, format func(float64) string) {
		if direct > 0 && http > 0 {
			totals.add("", texts(name, format(direct), format(http), "× "+fixed(ratio, 2))...)
		}
	}
	line("throughput, a second", t.Total.DirectTPS, t.Total.HTTPTPS, t.Total.Throughput, figure)
	line("processor of all processes, µs a transaction", t.Total.DirectCPU, t.Total.HTTPCPU, t.Total.CPU, figure)
	line("mean time, ms", t.Total.DirectMean, t.Total.HTTPMean, t.Total.Mean, millis)
	line("99th percentile, ms", t.Total.DirectP99, t.Total.HTTPP99, t.Total.P99, millis)
	return totals
}
