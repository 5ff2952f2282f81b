package report

import (
	"io"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

// FromCampaign returns a campaign that has just been run, as Read returns one from its file.
func FromCampaign(c *campaign.Record) *File { return &File{Name: "campaign", Campaign: c} }

// WriteHTML writes the page of a file of results.
func (f *File) WriteHTML(w io.Writer) error {
	var p page
	switch {
	case f.Campaign != nil:
		p = campaignPage(f.Campaign)
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
		Banners:  campaignStamps(c, groups), Conclusion: concluded(c, groups),
		Facts: append(campaignFacts(c, groups), notesOf(groups)...),
	}
	p.add(usersSection(c, groups), scalingSection(c, groups), growthSection(c), spaceSection(c),
		statisticsSection(reference), refusalsSection(reference), resourcesSection(reference),
		publishedSection(c, groups), stepsSection(c))
	return p
}

func runPage(r *result.Run) page {
	g := groupOf(r)
	l := r.Total.Latency
	p := page{
		Title: "Run of " + r.Workload.Name,
		Subtitle: joined(", ", minute(r.Started), joined(" on ", r.Target.Engine, r.Machine.CPU),
			cores(r.Machine)),
		Banners: stamps(g), Facts: append(runFacts(r), notesOf(g)...),
		Figures: []keyFigure{
			{"throughput", format.Figure(r.TPS), "a second", format.Figure(r.TPM) + " a minute"},
			{"goodput", format.Figure(r.Goodput), "a second", percent(ratio(r.Goodput, r.TPS), 2) + " of throughput"},
			{"median", millis(l.P50), "ms", "mean " + millis(l.Mean) + " ms"},
			{"99th percentile", millis(l.P99), "ms", "max " + millis(l.Max) + " ms"},
		},
	}
	if c := r.Curve; c != nil {
		p.Title = "Highest rate of " + r.Workload.Name
		p.Figures = []keyFigure{{"highest rate with " + c.Goal, "unknown", "", c.Between()}}
		if c.Found > 0 {
			p.Figures[0].Value, p.Figures[0].Unit = format.Figure(c.Found), "a second"
		}
	}
	if g := r.Usage.Generator; g.CPUSeconds > 0 {
		p.Figures = append(p.Figures, keyFigure{"load generator", percent(g.CPU, 0), "of all cores", ""})
	}
	if r.Ended != result.Complete && r.Ended != "" {
		p.Banners = append(p.Banners, banner{Class: "invalid", Word: "ENDED EARLY",
			Text: "The run ended early: " + string(r.Ended) + "."})
	}
	if r.Curve != nil {
		p.add(curveSection(r))
		return p
	}
	p.add(statisticsSection(g), refusalsSection(g), timeSection(r), partsSection(r), resourcesSection(g))
	return p
}

// partsSection shows what each of several load generators contributed.
func partsSection(r *result.Run) section {
	t := newTable("Load generators", "text:part", "text:computer", "users", "text:measured from", "seconds", "tps", "CPU",
		"text:processor")
	for _, p := range r.Parts {
		t.add("", p.Number, p.Host, p.Users, p.Measuring.UTC().Format("15:04:05.000"), p.Measured, p.TPS,
			percent(p.Generator.CPU, 0), joined(", ", p.Machine.CPU, format.Plural(p.Machine.Cores, "core")))
	}
	return section{ID: "generators", Blocks: []block{{Table: t}}}
}

// timeSection shows whether a run was steady.
func timeSection(r *result.Run) section {
	s := section{ID: "time"}
	if len(r.PerSecond) > 1 {
		const title = "Transactions in each second"
		var line chart.Series
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
