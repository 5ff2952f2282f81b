package report

import (
	"cmp"
	"iter"
	"slices"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/result"
)

// group is one measurement: a workload with a number of users.
type group struct {
	campaign.RunPlan

	Slot int // of the label: its colour and mark on the whole page
	Run  *result.Run
}

// groupOf returns the group of a single run.
func groupOf(r *result.Run) []group {
	return []group{{RunPlan: campaign.RunPlan{Label: r.Workload.Name, Users: r.Model.Users}, Run: r}}
}

// groupsOf returns the measured runs of a campaign in the order in which they were planned.
func groupsOf(c *campaign.Record) (all []group) {
	for _, step := range c.Steps {
		if step.Run == nil || step.Kind != campaign.KindRun {
			continue
		}
		g := group{RunPlan: *step.Plan, Run: step.Run}
		g.Label = cmp.Or(g.Label, g.Workload)
		all = append(all, g)
		all[len(all)-1].Slot = slices.Index(labels(all), g.Label)
	}
	return all
}

// name returns the workload, with the cores unless it may use all.
func (g group) name() string {
	if g.CPUs == 0 {
		return g.Label
	}
	return g.Label + ", " + format.Plural(g.CPUs, "core")
}

// nameAtUsers returns the name and the number of users.
func (g group) nameAtUsers() string { return g.name() + " at " + format.Plural(g.Users, "user") }

// plain reports whether the group was measured on all cores.
func (g group) plain() bool { return g.CPUs == 0 }

// invalid reports whether the run is INVALID.
func (g group) invalid() bool { return g.Run.Validity.Invalid() }

// users returns the number of users as a cell of a table, and the class of its row: both say if the group is INVALID.
func (g group) users() (class string, users cell) {
	if g.invalid() {
		return "invalid", cell{Text: format.Count(g.Users), Aside: "INVALID"}
	}
	return "", cell{Text: format.Count(g.Users)}
}

func tps(r *result.Run) float64     { return r.TPS }
func goodput(r *result.Run) float64 { return r.Goodput }
func p50(r *result.Run) float64     { return r.Total.Latency.P50 }
func p95(r *result.Run) float64     { return r.Total.Latency.P95 }
func p99(r *result.Run) float64     { return r.Total.Latency.P99 }

// labels returns the workloads in the order in which they first occur.
func labels(groups []group) (all []string) {
	for _, g := range groups {
		if !slices.Contains(all, g.Label) {
			all = append(all, g.Label)
		}
	}
	return all
}

func filter(groups []group, keep func(group) bool) (some []group) {
	for _, g := range groups {
		if keep(g) {
			some = append(some, g)
		}
	}
	return some
}

// byLabel returns the groups of each workload, in the order in which the workloads first occur.
func byLabel(groups []group) iter.Seq2[string, []group] {
	return func(yield func(string, []group) bool) {
		for _, label := range labels(groups) {
			if !yield(label, filter(groups, func(g group) bool { return g.Label == label })) {
				return
			}
		}
	}
}

// shown returns, for each workload, the group whose tables a report shows: the one on all cores whose number of users
// is nearest to the reference.
func shown(groups []group, reference int) (all []group) {
	for _, measured := range byLabel(filter(groups, group.plain)) {
		all = append(all, nearest(measured, reference)...)
	}
	return all
}

// nearest returns the group with the number of users nearest to the given one, or nil when there is no group.
func nearest(groups []group, users int) []group {
	if len(groups) == 0 {
		return nil
	}
	distance := func(g group) int { return max(g.Users-users, users-g.Users) }
	return []group{slices.MinFunc(groups, func(a, b group) int { return distance(a) - distance(b) })}
}

// best returns the group with the greatest throughput, of those that are not INVALID if there are any.
func best(groups []group) group {
	if valid := filter(groups, func(g group) bool { return !g.invalid() }); len(valid) > 0 {
		groups = valid
	}
	return slices.MaxFunc(groups, func(a, b group) int { return cmp.Compare(a.Run.TPS, b.Run.TPS) })
}
