package report

import (
	"fmt"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
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
	return &section{ID: "tier", Title: "What the application tier costs", Blocks: blocks,
		Lead: "The same workload on the same store, alternating between direct calls and HTTP. Ratios are HTTP to direct: " +
			"× 2.00 is twice."}
}

func tierBlocks(t *workload.Tier) []block {
	note := fmt.Sprintf("%s, %s; %s of each.", t.Direct.Workload.Name, format.Plural(t.Direct.Model.Users, "user"),
		format.Plural(t.Slices, "turn"))
	if isInvalid(&t.Direct) || isInvalid(&t.HTTP) {
		note += " A side of it is INVALID."
	}
	rows := newTable("Cost of the tier by transaction", "text:transaction", "direct, mean ms", "HTTP, mean ms", "added ms",
		"num strong:ratio", "direct, p99 ms", "HTTP, p99 ms", "ratio", "bar:mean: direct (hollow), HTTP")
	most := 0.0
	for _, row := range t.Transactions {
		most = max(most, row.HTTPMean, row.DirectMean)
	}
	for _, row := range t.Transactions {
		cells := texts(row.Name, millis(row.DirectMean), millis(row.HTTPMean), millis(row.HTTPMean-row.DirectMean),
			times(row.Mean, 2), millis(row.DirectP99), millis(row.HTTPP99), times(row.P99, 2))
		cells[0].Aside = code(row.Name)
		rows.add("", append(cells, cell{Draw: chart.Pair(0, ratio(row.DirectMean, most), ratio(row.HTTPMean, most))})...)
	}
	return []block{{Note: note, Table: tierTotals(t)}, {Title: "By transaction", Table: rows}}
}

func tierTotals(t *workload.Tier) *table {
	totals := newTable("Cost of the tier", "text:all transactions", "direct", "HTTP", "num strong:ratio")
	line := func(name string, direct, http, ratio float64, write func(float64) string) {
		if direct > 0 && http > 0 {
			totals.addTexts(name, write(direct), write(http), times(ratio, 2))
		}
	}
	line("throughput, a second", t.Total.DirectTPS, t.Total.HTTPTPS, t.Total.Throughput, format.Figure)
	line("processor of all processes, µs a transaction", t.Total.DirectCPU, t.Total.HTTPCPU, t.Total.CPU, format.Figure)
	line("mean time, ms", t.Total.DirectMean, t.Total.HTTPMean, t.Total.Mean, millis)
	line("99th percentile, ms", t.Total.DirectP99, t.Total.HTTPP99, t.Total.P99, millis)
	return totals
}
