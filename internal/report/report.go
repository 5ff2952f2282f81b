package report

import (
	"io"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

// FromCampaign returns the File of a campaign that has just been run.
func FromCampaign(c *campaign.Record) *File { return &File{Name: "campaign", Campaign: c} }

// WriteHTML writes the page of a file of results.
func (f *File) WriteHTML(w io.Writer) error {
	var p page
	if f.Campaign != nil {
		p = campaignPage(f.Campaign)
	} else {
		p = runPage(f.Run)
	}
	p.Source = f.Name
	return p.write(w)
}

func campaignPage(c *campaign.Record) page {
	groups := groupsOf(c)
	plain := filter(groups, group.plain)
	var reference []group // for each workload, the run whose tables are shown
	for _, measured := range byLabel(plain) {
		reference = append(reference, nearest(measured, c.Settings.Reference))
	}
	p := page{
		Title:    joined(" ", "Campaign on", c.Store.Engine, c.Dataset.Scale),
		Subtitle: joined(", ", minute(c.Started), c.Machine.CPU, cores(c.Machine.Machine)),
		Banners:  campaignStamps(c, groups), Conclusion: concluded(c, groups),
		Facts: append(campaignFacts(c, groups), notesOf(groups)...),
	}
	p.add(usersSection(c, plain), scalingSection(groups), growthSection(c), spaceSection(c), statisticsSection(reference),
		outcomesSection(reference), resourcesSection(reference), publishedSection(c, plain), stepsSection(c))
	return p
}

func runPage(r *result.Run) page {
	groups := groupOf(r)
	l := r.Total.Latency
	p := page{
		Title:    "Run of " + r.Workload.Name,
		Subtitle: joined(", ", minute(r.Started), joined(" on ", r.Target.Engine, r.Machine.CPU), cores(r.Machine)),
		Banners:  stamps(groups), Facts: append(runFacts(r), notesOf(groups)...),
	}
	if r.Ended != result.Complete && r.Ended != "" {
		p.Banners = append(p.Banners, banner{Class: "invalid", Word: "ENDED EARLY",
			Text: "The run ended early: " + string(r.Ended) + "."})
	}
	if c := r.Curve; c != nil {
		p.Title = "Highest rate of " + r.Workload.Name
		p.Figures = []keyFigure{{"highest rate with " + c.Goal, "unknown", "", c.Between()}}
		if c.Found > 0 {
			p.Figures[0].Value, p.Figures[0].Unit = format.Figure(c.Found), "a second"
		}
		p.add(curveSection(r))
		return p
	}
	p.Figures = []keyFigure{
		{"throughput", format.Figure(r.TPS), "a second", format.Figure(r.TPM) + " a minute"},
		{"goodput", format.Figure(r.Goodput), "a second", percent(ratio(r.Goodput, r.TPS), 2) + " of throughput"},
		{"median", millis(l.P50), "ms", "mean " + millis(l.Mean) + " ms"},
		{"99th percentile", millis(l.P99), "ms", "max " + millis(l.Max) + " ms"},
	}
	if used := r.Usage.Generator; used.CPUSeconds > 0 {
		p.Figures = append(p.Figures, keyFigure{"load generator", percent(used.CPU, 0), "of all cores", ""})
	}
	p.add(statisticsSection(groups), outcomesSection(groups), timeSection(r), partsSection(r), resourcesSection(groups))
	return p
}

// timeSection shows whether a run was steady.
func timeSection(r *result.Run) section {
	var rate, high chart.Series
	for i, n := range r.PerSecond {
		rate.Points = append(rate.Points, chart.Point{X: float64(i + 1), Y: float64(n)})
	}
	for _, i := range r.Intervals {
		high.Points = append(high.Points, chart.Point{X: i.To, Y: i.Latency.P99 / 1000})
	}
	if len(r.Intervals) < 2 {
		high.Points = nil
	}
	const x = "seconds since measuring began"
	s := section{ID: "time", Blocks: []block{{Charts: chart.Chart{
		Title: "Throughput", X: x, Y: "transactions in each second", Series: []chart.Series{rate},
	}.HTML() + chart.Chart{
		Title: "99th percentile of each interval", X: x, Y: "milliseconds", Series: []chart.Series{high},
	}.HTML()}}}
	if len(r.PerSecond) == 0 && len(r.Intervals) > 1 { // k6's STEPS, whose rates differ on purpose
		t := newTable("until, s", "transactions", "tps", "p50 ms", "p99 ms", "unexpected")
		for _, i := range r.Intervals {
			t.add("", i.To, i.Count, i.TPS, millis(i.Latency.P50), millis(i.Latency.P99), i.Errors)
		}
		s.Blocks = append(s.Blocks, block{Title: "By interval", Table: t})
	}
	return s
}

// partsSection shows what each of several load generators contributed.
func partsSection(r *result.Run) section {
	t := newTable("text:part", "text:computer", "users", "text:measured from", "seconds", "tps", "CPU", "text:processor")
	for _, p := range r.Parts {
		t.add("", p.Number, p.Host, p.Users, p.Measuring.UTC().Format("15:04:05.000"), p.Measured, p.TPS,
			percent(p.Generator.CPU, 0), joined(", ", p.Machine.CPU, cores(*p.Machine)))
	}
	return section{ID: "generators", Blocks: []block{{Table: t}}}
}

// stepsSection shows how long each step took, and its main figures.
func stepsSection(c *campaign.Record) section {
	t := newTable("text:step", "text:state", "took", "text:what it did")
	t.Class = "steps"
	all := 0.0
	for i := range c.Steps {
		step := &c.Steps[i]
		all += step.Seconds
		state, class, what := "", "", campaign.Outcome(step)
		if step.Again {
			what += ", the second run: the first was unsteady or disturbed"
		}
		if step.State != campaign.Done {
			state, class = string(step.State), "soft"
		}
		t.add(class, step.Name, state, seconds(step.Seconds), what)
	}
	if len(c.Steps) > 0 {
		t.add("total", "all steps", "", seconds(all), "")
	}
	return section{ID: "steps", Blocks: []block{{Table: t}}}
}
