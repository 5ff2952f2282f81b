package report

import (
	"cmp"
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
	slots := make(map[string]int)
	for _, step := range c.Steps {
		if step.Run == nil || step.Kind != campaign.KindRun {
			continue
		}
		g := group{RunPlan: *step.Plan, Run: step.Run}
		g.Label = cmp.Or(g.Label, g.Workload)
		if _, known := slots[g.Label]; !known {
			slots[g.Label] = len(slots)
		}
		g.Slot = slots[g.Label]
		all = append(all, g)
	}
	return all
}

// name returns the workload and the number of users, with the cores unless the service may use all.
func (g group) name() string {
	name := g.Label
	if !g.plain() {
		name += ", " + format.Plural(g.CPUs, "core")
	}
	return name + " at " + format.Plural(g.Users, "user")
}

// plain reports whether the group was measured on all cores.
func (g group) plain() bool { return g.CPUs == 0 }

// valid reports whether the run is not INVALID.
func (g group) valid() bool { return !g.Run.Validity.Invalid() }

// users returns the number of users as a cell of a table, and the class of its row: both say if the group is INVALID.
func (g group) users() (class string, users cell) {
	if !g.valid() {
		return "invalid", cell{Text: format.Count(g.Users), Aside: "INVALID"}
	}
	return "", cell{Text: format.Count(g.Users)}
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
func byLabel(groups []group) (all [][]group) {
	for _, g := range groups {
		at := slices.IndexFunc(all, func(some []group) bool { return some[0].Label == g.Label })
		if at < 0 {
			at = len(all)
			all = append(all, nil)
		}
		all[at] = append(all[at], g)
	}
	return all
}

// nearest returns the group with the number of users nearest to the given one.
func nearest(groups []group, users int) group {
	distance := func(g group) int { return max(g.Users-users, users-g.Users) }
	return slices.MinFunc(groups, func(a, b group) int { return distance(a) - distance(b) })
}

// best returns the group with the greatest throughput, of those that are not INVALID if there are any.
func best(groups []group) group {
	if valid := filter(groups, group.valid); len(valid) > 0 {
		groups = valid
	}
	return slices.MaxFunc(groups, func(a, b group) int { return cmp.Compare(a.Run.TPS, b.Run.TPS) })
}
