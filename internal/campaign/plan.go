package campaign

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"brokerage/internal/format"
)

// plan makes the record of a campaign with all its steps: population, if --steps has it; the load, the size and the
// copies of the database; and the rest of --steps on the loaded data.
func (c *Campaign) plan() {
	s := &c.Settings
	var steps []Step
	add := func(kind StepKind, name string, plan *RunPlan) {
		steps = append(steps, Step{Name: name, Kind: kind, Plan: plan, State: Planned})
	}
	run := func(plan RunPlan) {
		plan.Label = strings.TrimSuffix(filepath.Base(plan.Workload), ".json")
		switch {
		case plan.Documents > 0:
			plan.Label += ", " + format.Plural(plan.Documents, "document")
		case plan.Validate != nil && !*plan.Validate:
			plan.Label += ", not validated"
		}
		name := plan.Label + ", " + format.Plural(plan.Users, "user")
		if plan.CPUs > 0 {
			name = format.Plural(plan.CPUs, "core") + ": " + name
		}
		plan.Connections = c.connectionsOf(plan.Users)
		add(KindRun, name, &plan)
	}
	kinds := []StepKind{KindLoad, KindSpace}
	if slices.Contains(s.Steps, populationStep) {
		kinds = slices.Insert(kinds, 0, KindPopulation)
	}
	if c.Subject.BackupFile() != "" {
		kinds = append(kinds, KindBackup, KindRestore)
	}
	for _, kind := range kinds {
		add(kind, string(kind), nil)
	}
	for _, step := range s.Steps {
		switch step {
		case populationStep: // it comes before the load
		case coresStep:
			for _, n := range s.CPUs {
				for _, of := range s.Cores {
					run(RunPlan{Workload: of.Workload, Users: of.Users, CPUs: n})
				}
			}
		case crashStep:
			add(KindCrash, crashStep, &RunPlan{Workload: mixed, Label: mixed, Users: s.Reference,
				Connections: c.connectionsOf(s.Reference)})
		case insertOrders, insertCustomers:
			of := s.insertion(step)
			if of.Documents > 0 {
				run(RunPlan{Workload: step, Users: of.Users, Documents: of.Documents, Validate: new(false)})
				continue
			}
			run(RunPlan{Workload: step, Users: of.Users})
			if step == insertCustomers { // which the papers did not validate
				run(RunPlan{Workload: step, Users: of.Users, Validate: new(false)})
			}
		default:
			for _, n := range s.Users {
				run(RunPlan{Workload: step, Users: n})
			}
		}
	}
	c.record = &Record{
		Format: Format, Preset: s.Preset, Smoke: s.smoke(), Started: time.Now().UTC(), Unfinished: "still running, or killed",
		Settings: *s, Machine: c.Machine, Versions: c.Versions, Steps: steps,
	}
}

// connectionsOf returns the number of connections of the service to the database: one for each user, as in the papers,
// unless --pool gives another number or the database does not allow so many.
func (c *Campaign) connectionsOf(users int) int {
	n := users
	if c.Settings.Pool > 0 {
		n = c.Settings.Pool
	}
	if c.connections > 0 {
		n = min(n, c.connections)
	}
	return n
}
