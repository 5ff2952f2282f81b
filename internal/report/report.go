package report

import (
	"fmt"
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
	p.add(usersSection(groups), latencySection(reference), statisticsSection(reference), refusalsSection(reference),
		mixSection(reference), growthSection(c), spaceSection(c), resourcesSection(reference), cachesSection(reference),
		variantsSection(c, groups), scalingSection(c, groups), tierSection(c), publishedSection(c, groups), stepsSection(c))
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
			{Name: "throughput", Value: format.Figure(r.TPS), Unit: "a second", Aside: format.Figure(r.TPM) + " a minute"},
			{Name: "goodput", Value: format.Figure(r.Goodput), Unit: "a second",
				Aside: percent(ratio(r.Goodput, r.TPS), 2) + " of throughput"},
			{Name: "median", Value: millis(l.P50), Unit: "ms", Aside: "mean " + millis(l.Mean) + " ms"},
			{Name: "99th percentile", Value: millis(l.P99), Unit: "ms", Aside: "max " + millis(l.Max) + " ms"},
			{Name: "load generator", Value: percent(r.Usage.Generator.CPU, 0), Unit: "of all cores"},
		},
	}
	if r.Ended != workload.Complete && r.Ended != "" {
		p.Banners = append(p.Banners, banner{Class: "invalid", Word: "ENDED EARLY",
			Text: "The run ended early: " + string(r.Ended) + "."})
	}
	p.add(latencySection(g), statisticsSection(g), refusalsSection(g), mixSection(g), timeSection(r), resourcesSection(g),
		cachesSection(g))
	return p
}

func tierPage(t *workload.Tier) page {
	groups := tierGroups(t)
	p := page{Title: "What the application tier costs",
		Subtitle: joined(", ", minute(t.HTTP.Started), t.HTTP.Workload.Name, t.HTTP.Machine.CPU),
		Banners:  stamps(groups), Facts: append(runFacts(&t.HTTP), notesOf(groups)...)}
	p.add(tierOf(tierBlocks(t)), latencySection(groups), statisticsSection(groups), refusalsSection(groups),
		resourcesSection(groups), cachesSection(groups))
	return p
}

func tierGroups(t *workload.Tier) []group {
	return []group{
		{Label: "direct", Users: t.Direct.Model.Users, Runs: []*workload.Run{&t.Direct}},
		{Label: "http", Slot: 1, Users: t.HTTP.Model.Users, Runs: []*workload.Run{&t.HTTP}},
	}
}

func runFacts(r *workload.Run) []fact {
	arrivals, prepared := "", ""
	if a := r.Arrivals; a != nil {
		arrivals = fmt.Sprintf("%s due, %s started (%s over 1 ms late), %s dropped, %s never started", format.Count(a.Due),
			format.Count(a.Started), format.Count(a.Late), format.Count(a.Dropped), format.Count(a.Queued))
	}
	if p := r.Prepared; p != nil {
		prepared = fmt.Sprintf("%s orders and %s customers inserted in %s, not part of the figures", format.Count(p.Orders),
			format.Count(p.Customers), seconds(p.Seconds))
	}
	validated := "as each transaction specifies"
	if !r.Workload.Validate {
		validated = "off where a client may turn it off"
	}
	facts := []fact{
		{"Measured", minute(r.Started) + ", " + seconds(r.Measured) + " after " + seconds(r.Warmed) + " of warm-up"},
		{"Workload", joined(", ", r.Workload.Name, prefixed("file ", short(r.Workload.SHA256)), "validation "+validated)},
		{"Load", fmt.Sprintf("%s; seed %d", modelText(r), r.Seed)},
		{"Arrivals", arrivals},
		{"Prepared", prepared},
		{"Target", joined(", ", r.Target.Engine, r.Target.Kind, r.Target.URL, prefixed("service ", r.Target.Version))},
		{"Settings", settingsText(r.Settings)},
	}
	facts = append(facts, datasetFacts(r.Dataset)...)
	facts = append(facts, machineFacts(r.Machine)...)
	return known(append(facts,
		fact{"Versions", joined(", ", joined(" ", r.Tool.Name, r.Tool.Version), prefixed("commit ", short(r.Commit)))}))
}

// modelText describes the load: users with their think time, or arrivals at a rate.
func modelText(r *workload.Run) string {
	if r.Model.Kind != workload.Open {
		return format.Plural(r.Model.Users, "user") + ", think time " + seconds(r.Model.Think)
	}
	text := format.Figure(r.Model.Rate) + " arrivals a second"
	if r.Tool.Name == "drive" { // k6 measures from the time of sending
		text += ", timed from when each was due"
	}
	return text
}

// timeSection shows whether a run was steady.
func timeSection(r *workload.Run) *section {
	s := &section{ID: "time", Title: "Over time",
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
		"p99 ms",
		"max ms")
	if len(r.Intervals) > 1 {
		for _, i := range r.Intervals {
			t.addTexts(whole(i.From)+"–"+whole(i.To), format.Count(i.Count), format.Count(i.Good), format.Figure(i.TPS),
				millis(i.Latency.Mean), millis(i.Latency.P95), millis(i.Latency.P99), millis(i.Latency.Max))
		}
	}
	s.Blocks = append(s.Blocks, block{Title: "By interval", Table: t})
	return s
}
