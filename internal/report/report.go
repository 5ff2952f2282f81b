package report

import (
	"io"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/workload"
)

// FromCampaign returns a campaign that has just been run, as Read returns one from its file.
func FromCampaign(c *campaign.Record) *File { return &File{Name: "campaign", Campaign: c} }

// WriteHTML writes the page of a file of results.
func (f *File) WriteHTML(w io.Writer) error {
	var p page
	switch {
	case f.Campaign != nil:
		p = campaignPage(f.Campaign)
	case f.Tier != nil:
		p = tierPage(f.Tier)
	default:
		p = runPage(f.Run)
	}
	p.Sources = []string{f.Name}
	return p.write(w)
}

func campaignPage(c *campaign.Record) page {
	groups := groupsOf(c)
	reference := shown(groups, c.Settings.Reference)
	p := page{
		Title:    joined(" ", "Campaign on", c.Store.Engine, c.Dataset.Scale),
		Subtitle: minute(c.Started) + ", " + c.Machine.CPU + ", " + format.Plural(c.Machine.Cores, "core"),
		Banners:  campaignStamps(c, groups), Figures: keyFigures(c, groups),
		Facts: append(campaignFacts(c), notesOf(groups)...),
	}
	var tiers []*workload.Tier
	for _, step := range c.Steps {
		if step.Tier != nil {
			tiers = append(tiers, step.Tier)
		}
	}
	p.add(usersSection(groups), costsSection(groups), latencySection(reference), statisticsSection(reference),
		refusalsSection(reference), mixSection(reference), growthSection(c), spaceSection(c), resourcesSection(reference),
		sampledSection(reference), statementsSection(reference), cachesSection(reference), variantsSection(c, groups),
		factorsSection(c, groups), scalingSection(c, groups), tierSection(tiers...), publishedSection(c, groups),
		stepsSection(c))
	return p
}

func runPage(r *workload.Run) page {
	g := []group{{Label: r.Workload.Name, Users: r.Model.Users, Runs: []*workload.Run{r}}}
	l := r.Total.Latency
	p := page{
		Title: "Run of " + r.Workload.Name,
		Subtitle: joined(", ", minute(r.Started), joined(" on ", r.Target.Engine, r.Machine.CPU),
			format.Plural(r.Machine.Cores, "core")),
		Banners: stamps(g), Facts: append(runFacts(r), notesOf(g)...),
		Figures: []keyFigure{
			{"throughput", format.Figure(r.TPS), "a second", format.Figure(r.TPM) + " a minute"},
			{"goodput", format.Figure(r.Goodput), "a second", percent(ratio(r.Goodput, r.TPS), 2) + " of throughput"},
			{"median", millis(l.P50), "ms", "mean " + millis(l.Mean) + " ms"},
			{"99th percentile", millis(l.P99), "ms", "max " + millis(l.Max) + " ms"},
			{"load generator", percent(r.Usage.Generator.CPU, 0), "of all cores", ""},
		},
	}
	if r.Ended != workload.Complete && r.Ended != "" {
		p.Banners = append(p.Banners, banner{Class: "invalid", Word: "ENDED EARLY",
			Text: "The run ended early: " + string(r.Ended) + "."})
	}
	p.add(latencySection(g), statisticsSection(g), refusalsSection(g), mixSection(g), timeSection(r), resourcesSection(g),
		sampledSection(g), statementsSection(g), cachesSection(g))
	return p
}

func tierPage(t *workload.Tier) page {
	groups := tierGroups(t)
	p := page{Title: "What the application tier costs",
		Subtitle: joined(", ", minute(t.HTTP.Started), t.HTTP.Workload.Name, t.HTTP.Machine.CPU),
		Banners:  stamps(groups), Facts: append(runFacts(&t.HTTP), notesOf(groups)...)}
	p.add(tierSection(t), latencySection(groups), statisticsSection(groups), refusalsSection(groups),
		resourcesSection(groups), cachesSection(groups))
	return p
}

func tierGroups(t *workload.Tier) []group {
	return []group{
		{Label: "direct", Users: t.Direct.Model.Users, Runs: []*workload.Run{&t.Direct}},
		{Label: "http", Slot: 1, Users: t.HTTP.Model.Users, Runs: []*workload.Run{&t.HTTP}},
	}
}

// timeSection shows whether a run was steady.
func timeSection(r *workload.Run) section {
	s := section{ID: "time", Title: "Over time",
		Lead: "The throughput of a steady run is level: a slope over the measured time makes a run invalid."}
	if len(r.PerSecond) > 1 {
		const title = "Transactions in each second"
		line := chart.Series{Name: "tps"}
		for i, n := range r.PerSecond {
			line.Points = append(line.Points, chart.Point{X: float64(i + 1), Y: float64(n)})
		}
		s.Blocks = append(s.Blocks, block{Charts: []figureView{{title, chart.Lines{
			Title: title, X: "seconds since measuring began", Y: "transactions a second",
			Series: []chart.Series{line}, FormatX: whole, FormatY: whole,
		}.HTML()}}})
	}
	t := newTable("By interval", "text:seconds", "count", "did their work", "num strong:tps", "mean ms", "p95 ms",
		"p99 ms", "max ms")
	if len(r.Intervals) > 1 {
		for _, i := range r.Intervals {
			l := i.Latency
			t.add("", whole(i.From)+"–"+whole(i.To), i.Count, i.Good, i.TPS, micros(l.Mean), micros(l.P95), micros(l.P99),
				micros(l.Max))
		}
	}
	s.Blocks = append(s.Blocks, block{Title: "By interval", Table: t})
	return s
}
