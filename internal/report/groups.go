package report

import (
	"slices"

	"brokerage/internal/campaign"
	"brokerage/internal/workload"
)

// group is the repeats of one measurement: the same workload, users and settings.
type group struct {
	Label   string
	Slot    int               // of the label: its colour and mark on the whole page
	Variant *campaign.Variant // nil is out of the box
	Users   int
	CPUs    int // that the service may use; 0 is all
	Runs    []*workload.Run
	Again   []*workload.Run // that were not steady, and in whose place others were made
}

// groupsOf are the measured runs of a campaign in the order in which they were planned.
func groupsOf(c *campaign.Record) []group {
	var all []group
	for i := range c.Steps {
		step := &c.Steps[i]
		if len(step.Runs) == 0 {
			continue
		}
		g := group{Label: step.Plan.Label, Variant: step.Variant, Users: step.Plan.Users}
		if g.Label == "" {
			g.Label = step.Plan.Workload
		}
		if g.Variant != nil {
			g.CPUs = g.Variant.CPUs
		}
		for j := range step.Runs {
			g.Runs = append(g.Runs, &step.Runs[j].Run)
		}
		for j := range step.Again {
			g.Again = append(g.Again, &step.Again[j].Run)
		}
		if at := slices.IndexFunc(all, g.same); at >= 0 {
			all[at].Runs = append(all[at].Runs, g.Runs...)
			all[at].Again = append(all[at].Again, g.Again...)
		} else {
			all = append(all, g)
		}
	}
	names := labels(all)
	for i := range all {
		all[i].Slot = slices.Index(names, all[i].Label)
	}
	return all
}

func (g group) same(other group) bool {
	return g.Label == other.Label && g.Users == other.Users && g.variant() == other.variant()
}

func (g group) variant() string {
	if g.Variant == nil {
		return ""
	}
	return g.Variant.Name
}

// plain groups were measured with the settings out of the box, on all cores.
func (g group) plain() bool { return g.Variant == nil }

// values are one figure of each repeat.
func (g group) values(of func(*workload.Run) float64) sample {
	s := make(sample, len(g.Runs))
	for i, r := range g.Runs {
		s[i] = of(r)
	}
	return s
}

// middle is the run with the median throughput, the slower of two: where a table needs counts that belong together.
func (g group) middle() *workload.Run {
	runs := slices.Clone(g.Runs)
	slices.SortStableFunc(runs, func(a, b *workload.Run) int {
		switch {
		case a.TPS < b.TPS:
			return -1
		case a.TPS > b.TPS:
			return 1
		}
		return 0
	})
	return runs[(len(runs)-1)/2]
}

// invalid says that a run of the group must not be quoted.
func (g group) invalid() bool { return slices.ContainsFunc(g.Runs, isInvalid) }

// isInvalid tells a run with a fault from one that is only too short.
func isInvalid(r *workload.Run) bool { return r.Validity.Invalid() }

func isSmoke(r *workload.Run) bool { return r.Validity.Smoke }

// The figures that are asked for again and again.

func tps(r *workload.Run) float64     { return r.TPS }
func goodput(r *workload.Run) float64 { return r.Goodput }
func p50(r *workload.Run) float64     { return r.Total.Latency.P50 }
func p95(r *workload.Run) float64     { return r.Total.Latency.P95 }
func p99(r *workload.Run) float64     { return r.Total.Latency.P99 }

// busy is the share of all cores that the run needed: of the whole host where that is known, else of the processes that
// are.
func busy(r *workload.Run) float64 {
	if r.Usage.Host != nil {
		return r.Usage.Host.CPU
	}
	return r.Usage.Generator.CPU + served(r)
}

// served is the share of all cores that the service and its database needed.
func served(r *workload.Run) float64 {
	sum := 0.0
	for _, p := range []*workload.Process{r.Usage.Service, r.Usage.Database} {
		if p != nil {
			sum += p.CPU
		}
	}
	return sum
}

// labels are the workloads in the order in which they come first.
func labels(groups []group) []string {
	var all []string
	for _, g := range groups {
		if !slices.Contains(all, g.Label) {
			all = append(all, g.Label)
		}
	}
	return all
}

func filter(groups []group, keep func(group) bool) []group {
	var some []group
	for _, g := range groups {
		if keep(g) {
			some = append(some, g)
		}
	}
	return some
}

// shown is of each workload the group whose table a report shows: at the reference number of users, or at the next
// below it.
func shown(groups []group, reference int) []group {
	var all []group
	for _, label := range labels(groups) {
		all = append(all, nearest(filter(groups, func(g group) bool { return g.Label == label && g.plain() }), reference)...)
	}
	return all
}

// nearest is the group, if there is one, with the number of users nearest to the one asked for.
func nearest(groups []group, users int) []group {
	if len(groups) == 0 {
		return nil
	}
	distance := func(g group) int { return max(g.Users-users, users-g.Users) }
	return []group{slices.MinFunc(groups, func(a, b group) int { return distance(a) - distance(b) })}
}

// best is the group with the greatest median throughput.
func best(groups []group) group {
	return slices.MaxFunc(groups, func(a, b group) int {
		if a.values(tps).median() < b.values(tps).median() {
			return -1
		}
		return 1
	})
}
