package report

import (
	"fmt"
	"io"

	"brokerage/internal/campaign"
	"brokerage/internal/report/chart"
	"brokerage/internal/workload"
)

// FromCampaign is a campaign that need not be read, since it has just been run.
func FromCampaign(c *campaign.Record) *File { return &File{Name: "campaign", Campaign: c} }

// WriteHTML writes the page of one file of results.
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
		Title: joined(" ", "Campaign on", c.Store.Engine, c.Dataset.Scale), Subtitle: timeText(c.Started) + ", " + c.Machine.CPU + ", " + plural(c.Machine.Cores, "core"),
		Banners: campaignStamps(c, groups), Figures: keyFigures(c, groups), Facts: append(campaignFacts(c), notesOf(groups)...),
	}
	p.add(usersSection(groups), latencySection(reference), statisticsSection(reference), refusalsSection(reference), mixSection(reference),
		growthSection(c), spaceSection(c), resourcesSection(reference), cachesSection(reference), variantsSection(c, groups), scalingSection(c, groups),
		tierSection(c), publishedSection(c, groups), stepsSection(c))
	return p
}

// add takes those sections that there are.
func (p *page) add(sections ...*section) {
	for _, s := range sections {
		if s != nil {
			p.Sections = append(p.Sections, *s)
		}
	}
}

func runPage(r *workload.Run) page {
	g := []group{{Label: r.Workload.Name, Users: r.Model.Users, Runs: []*workload.Run{r}}}
	p := page{
		Title: "Run of " + r.Workload.Name, Subtitle: joined(", ", timeText(r.Started), joined(" on ", r.Target.Engine, r.Machine.CPU), plural(r.Machine.Cores, "core")),
		Banners: stamps(g), Facts: append(runFacts(r), notesOf(g)...),
		Figures: []keyFigure{
			{Name: "throughput", Value: figure(r.TPS), Unit: "a second", Aside: figure(r.TPM) + " a minute"},
			{Name: "goodput", Value: figure(r.Goodput), Unit: "a second", Aside: percent(r.Goodput/max(r.TPS, 1e-9), 2) + " of throughput"},
			{Name: "median", Value: millis(r.Total.Latency.P50), Unit: "ms", Aside: "mean " + millis(r.Total.Latency.Mean) + " ms"},
			{Name: "99th percentile", Value: millis(r.Total.Latency.P99), Unit: "ms", Aside: "max " + millis(r.Total.Latency.Max) + " ms"},
			{Name: "load generator", Value: percent(r.Usage.Generator.CPU, 0), Unit: "of all cores"},
		},
	}
	if r.Ended != workload.Complete && r.Ended != "" {
		p.Banners = append(p.Banners, banner{Class: "invalid", Word: "ENDED EARLY", Text: "The run ended before its time: " + string(r.Ended) + "."})
	}
	p.add(latencySection(g), statisticsSection(g), refusalsSection(g), mixSection(g), overTime(r), resourcesSection(g), cachesSection(g))
	return p
}

func tierPage(t *workload.Tier) page {
	groups := []group{{Label: "direct", Users: t.Direct.Model.Users, Runs: []*workload.Run{&t.Direct}}, {Label: "http", Slot: 1, Users: t.HTTP.Model.Users, Runs: []*workload.Run{&t.HTTP}}}
	p := page{Title: "What the application tier costs", Subtitle: joined(", ", timeText(t.HTTP.Started), t.HTTP.Workload.Name, t.HTTP.Machine.CPU),
		Banners: stamps(groups), Facts: append(runFacts(&t.HTTP), notesOf(groups)...)}
	p.add(tierOf(tierBlocks(t)), latencySection(groups), statisticsSection(groups), refusalsSection(groups), resourcesSection(groups), cachesSection(groups))
	return p
}

func runFacts(r *workload.Run) []fact {
	model := plural(r.Model.Users, "user") + ", think time " + secondsText(r.Model.Think)
	if r.Model.Kind == workload.Open {
		model = figure(r.Model.Rate) + " arrivals a second"
		if r.Tool.Name == "drive" { // k6 times from when it sends
			model += ", timed from when each was due"
		}
	}
	arrivals := ""
	if a := r.Arrivals; a != nil {
		arrivals = fmt.Sprintf("%s due, %s begun (%s over 1 ms late), %s dropped, %s never begun", countText(a.Due), countText(a.Started), countText(a.Late), countText(a.Dropped), countText(a.Queued))
	}
	validated := "as each transaction asks"
	if !r.Workload.Validate {
		validated = "off where a client may switch it off"
	}
	prepared := ""
	if p := r.Prepared; p != nil {
		prepared = fmt.Sprintf("%s orders and %s customers inserted in %s, counted apart", countText(p.Orders), countText(p.Customers), secondsText(p.Seconds))
	}
	facts := []fact{
		{"Measured", timeText(r.Started) + ", " + secondsText(r.Measured) + " after " + secondsText(r.Warmed) + " of warm-up"},
		{"Workload", joined(", ", r.Workload.Name, prefixed("file ", short(r.Workload.SHA256)), "validation "+validated)},
		{"Load", joined("; ", model, fmt.Sprintf("seed %d", r.Seed))},
		{"Arrivals", arrivals},
		{"Prepared", prepared},
		{"Target", joined(", ", r.Target.Engine, r.Target.Kind, r.Target.URL, prefixed("service ", r.Target.Version))},
		{"Settings", settingsText(r.Settings)},
	}
	facts = append(facts, datasetFacts(r.Dataset)...)
	facts = append(facts, machineFacts(r.Machine)...)
	return filled(append(facts, fact{"Versions", joined(", ", joined(" ", r.Tool.Name, r.Tool.Version), prefixed("commit ", short(r.Commit)))}))
}

// overTime shows whether a run was steady.
func overTime(r *workload.Run) *section {
	s := &section{ID: "time", Title: "Over time", Lead: "A steady run is level: a slope over the measured time makes a run invalid."}
	if len(r.PerSecond) > 1 {
		line := chart.Series{Name: "tps"}
		for i, n := range r.PerSecond {
			line.Points = append(line.Points, chart.Point{X: float64(i + 1), Y: float64(n)})
		}
		s.Blocks = append(s.Blocks, block{Charts: []figureView{{"Transactions in each second", chart.Lines{Title: "Transactions in each second", X: "seconds since measuring began",
			Y: "transactions a second", Series: []chart.Series{line}, FormatX: wholeText, FormatY: wholeText}.HTML()}}})
	}
	if len(r.Intervals) > 1 {
		t := &table{Label: "By interval", Columns: columns([2]string{"text", "seconds"}, [2]string{"num", "count"}, [2]string{"num", "did their work"}, [2]string{"num strong", "tps"},
			[2]string{"num", "mean ms"}, [2]string{"num", "p95 ms"}, [2]string{"num", "p99 ms"}, [2]string{"num", "max ms"})}
		for _, i := range r.Intervals {
			t.add("", texts(wholeText(i.From)+"–"+wholeText(i.To), countText(i.Count), countText(i.Good), figure(i.TPS), millis(i.Latency.Mean), millis(i.Latency.P95), millis(i.Latency.P99), millis(i.Latency.Max))...)
		}
		s.Blocks = append(s.Blocks, block{Title: "By interval", Table: t})
	}
	if len(s.Blocks) == 0 {
		return nil
	}
	return s
}
