package campaign

import (
	"path/filepath"
	"slices"
	"strings"

	"brokerage/internal/format"
)

// planner lists the steps of a campaign.
type planner struct {
	Settings
	most  int // connections of the service; 0 is no limit
	steps []Step
}

// plan returns all steps in their order: the database is created, filled and copied, and then each of --steps runs on
// the loaded data. Steps that the subject cannot run are left out, with the reason.
func plan(s Settings, e Subject, connections int) []Step {
	p := &planner{Settings: s, most: connections}
	for _, kind := range []StepKind{
		KindCreate, KindPopulation, KindLoad, KindStatistics, KindSpace, KindBackup, KindRestore,
	} {
		if kind != KindPopulation || slices.Contains(s.Steps, populationStep) {
			p.add(kind, string(kind), nil)
		}
	}
	for _, step := range s.Steps {
		p.selected(step)
	}
	for i := range p.steps {
		if reason := e.Lacks(p.steps[i].Kind); reason != "" {
			p.steps[i].State, p.steps[i].Reason = LeftOut, reason
		}
	}
	return p.steps
}

func (p *planner) add(kind StepKind, name string, plan *RunPlan) {
	p.steps = append(p.steps, Step{Name: name, Kind: kind, Plan: plan, State: Planned})
}

// selected adds what --steps names. The papers did not validate inserts of customers, so these run with and without
// validation.
func (p *planner) selected(step string) {
	switch step {
	case populationStep: // it comes before the load
	case coresStep:
		for _, n := range p.CPUs {
			for _, c := range p.Cores {
				p.run(RunPlan{Workload: c.Workload, Users: c.Users, CPUs: n})
			}
		}
	case crashStep:
		p.add(KindCrash, crashStep, &RunPlan{Workload: mixed, Label: mixed, Users: p.Reference,
			Connections: p.connections(p.Reference, p.most)})
	case insertOrders, insertCustomers:
		counted := slices.DeleteFunc(slices.Clone(p.Inserts), func(i Load) bool { return i.Workload != step })
		for _, i := range counted {
			p.run(RunPlan{Workload: step, Users: i.Users, Documents: i.Documents, Validate: new(false)})
		}
		if len(counted) > 0 {
			return
		}
		p.run(RunPlan{Workload: step, Users: p.Reference})
		if step == insertCustomers {
			p.run(RunPlan{Workload: step, Users: p.Reference, Validate: new(false)})
		}
	default:
		for _, n := range p.Users {
			p.run(RunPlan{Workload: step, Users: n})
		}
	}
}

// run adds a step that runs a workload.
func (p *planner) run(plan RunPlan) {
	label, name := strings.TrimSuffix(filepath.Base(plan.Workload), ".json"), ""
	switch {
	case plan.Documents > 0:
		label += ", " + format.Plural(plan.Documents, "document")
	case plan.Validate != nil && !*plan.Validate:
		label += ", not validated"
	}
	if plan.CPUs > 0 {
		name = format.Plural(plan.CPUs, "core") + ": "
	}
	plan.Label, plan.Connections = label, p.connections(plan.Users, p.most)
	p.add(KindRun, name+label+", "+format.Plural(plan.Users, "user"), &plan)
}

// connections returns the number of connections of the service to the database: one for each user, as in the papers,
// unless --pool gives another number or the database does not allow so many. 0 is the store's default.
func (s Settings) connections(users, most int) int {
	n := users
	if s.Pool != nil {
		n = *s.Pool
	}
	if most > 0 {
		n = min(n, most)
	}
	return n
}
