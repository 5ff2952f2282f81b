package campaign

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/format"
)

// runOverhead is the time, in seconds, to start and stop the service and to prepare the users of a run.
const runOverhead = 2

// planner lists the steps of a campaign.
type planner struct {
	Settings
	subject Subject
	dataset *dataset.Dataset
	raw     float64 // bytes of the documents
	steps   []Step
}

// plan returns all steps with their estimated times, in the order of their importance. Steps that the subject cannot
// run are left out, with the reason.
func plan(s Settings, e Subject, d *dataset.Dataset, cores int) []Step {
	p := &planner{Settings: s, subject: e, dataset: d, raw: rawBytes(d)}
	p.prepare(nil)
	p.runs()
	p.inserts()
	if s.Stages > 0 {
		each := float64(len(stageWorkloads))*(s.Stage+stageWarmUp(s.Stage)+runOverhead) + p.reading()
		p.add(Step{Name: "staged inserts", Kind: KindInserts, Expected: p.restore() + float64(s.Stages)*each})
	}
	if s.Find != "" {
		p.add(Step{Name: "highest rate with " + s.Find, Kind: KindFind,
			Expected: p.restore() + searchSteps*(1.2*searchStep(s)+runOverhead) + s.WarmUp + s.Duration + runOverhead})
	}
	p.variants(cores)
	for i := range p.steps {
		if reason := e.Lacks(p.steps[i].Kind); reason != "" {
			p.steps[i].State, p.steps[i].Reason, p.steps[i].Expected = LeftOut, reason, 0
		}
	}
	return p.steps
}

// searchSteps is the number of steps that a search for the highest rate is expected to need.
const searchSteps = 12

// searchStep returns the measured time of such a step, in seconds.
func searchStep(s Settings) float64 { return s.Duration / 6 }

func (p *planner) add(s Step) {
	s.State = Planned
	if s.Variant != nil {
		s.Name = s.Variant.Name + ": " + s.Name
	}
	p.steps = append(p.steps, s)
}

// expected returns the estimated seconds to work through bytes at a pace.
func expected(bytes, pace float64) float64 { return 0.5 + bytes/pace }

// reading returns the estimated seconds to read the whole database.
func (p *planner) reading() float64 { return expected(p.raw/2, p.subject.Pace().Backup) }

func (p *planner) restore() float64 {
	switch {
	case p.subject.Reloads():
		return expected(p.raw, p.subject.Pace().Load)
	case p.subject.Lacks(KindRestore) != "":
		return 0
	}
	return expected(p.raw/2, p.subject.Pace().Restore)
}

// prepare adds the steps that come before any load on a database.
func (p *planner) prepare(v *Variant) {
	for _, s := range []struct {
		kind     StepKind
		expected float64
	}{
		{KindCreate, 0.5}, {KindLoad, expected(p.raw, p.subject.Pace().Load)}, {KindStatistics, p.reading()},
		{KindSpace, p.reading()}, {KindBackup, p.reading()}, {KindRestore, p.restore()},
	} {
		p.add(Step{Name: string(s.kind), Kind: s.kind, Variant: v, Expected: s.expected})
		if s.kind == KindCreate && v == nil {
			p.population()
		}
	}
}

// population adds the step in which users fill the database. It comes before the load, which needs an empty database.
func (p *planner) population() {
	if len(p.Population) == 0 {
		return
	}
	seconds := expected(float64(p.dataset.ExpectedBytes(dataset.Security)), p.subject.Pace().Load)
	for _, of := range p.Population {
		k := insertedKind(of.Workload)
		seconds += p.inserting(k, p.dataset.Count(k)) + loadStages*(runOverhead+p.reading())
	}
	p.add(Step{Name: "population", Kind: KindPopulation, Expected: seconds})
}

// inserting returns the estimated seconds to insert documents through the transactions.
func (p *planner) inserting(k dataset.Kind, documents int64) float64 {
	return expected(float64(documents)*p.dataset.MeanSize(k), p.subject.Pace().Insert)
}

// inserts adds the runs that insert a fixed number of documents. The papers did not validate them.
func (p *planner) inserts() {
	for _, of := range p.Inserts {
		label := of.Workload + ", " + format.Plural(of.Documents, "document")
		p.add(Step{
			Name: label + ", " + format.Plural(of.Users, "user"), Kind: KindRun,
			Plan: &RunPlan{
				Workload: of.Workload, Label: label, Validate: new(false), Users: of.Users, Documents: of.Documents,
			},
			Expected: p.insertWarmUp() + p.inserting(insertedKind(of.Workload), of.Documents) + p.restore() + runOverhead,
		})
	}
}

// insertWarmUp returns the warm-up of a run that inserts a fixed number of documents, in seconds: as short as is valid,
// since the database grows by it too.
func (s Settings) insertWarmUp() float64 { return min(s.WarmUp, validWarmUp) }

// run adds a step that runs a workload.
func (p *planner) run(v *Variant, workload string, users int, validate *bool) {
	label := strings.TrimSuffix(filepath.Base(workload), ".json")
	if validate != nil && !*validate {
		label += ", not validated"
	}
	p.add(Step{
		Name: label + ", " + format.Plural(users, "user"), Kind: KindRun, Variant: v,
		Plan:     &RunPlan{Workload: workload, Label: label, Validate: validate, Users: users},
		Expected: p.WarmUp + p.Duration + p.restore() + runOverhead,
	})
}

// yardstick returns the workload by which settings are compared.
func (s Settings) yardstick() string {
	for _, w := range []string{mixed, classic} {
		if slices.Contains(s.Workloads, w) {
			return w
		}
	}
	return s.Workloads[0]
}

// runs adds the runs with the default settings: first those that show throughput against users, then those of workloads
// that are run with the reference number of users alone. The papers did not validate inserts of customers, so they are
// run with and without validation.
func (p *planner) runs() {
	atReference := []string{classic, insertOrders, insertCustomers}
	for _, w := range p.Workloads {
		if slices.Contains(atReference, w) && w != p.yardstick() {
			continue
		}
		users := p.Users
		if w == p.yardstick() && !slices.Contains(users, p.Reference) {
			users = append(slices.Clone(users), p.Reference)
		}
		for _, n := range users {
			p.run(nil, w, n, nil)
		}
	}
	for _, w := range p.Workloads {
		if !slices.Contains(atReference, w) || w == p.yardstick() {
			continue
		}
		p.run(nil, w, p.Reference, nil)
		if w == insertCustomers {
			p.run(nil, w, p.Reference, new(false))
		}
	}
}

// variants adds the comparison of the default settings with others, and the runs that show throughput against the cores
// that the service may use.
func (p *planner) variants(cores int) {
	for _, v := range p.Settings.variants(p.subject, cores) {
		if p.subject.As(v).URL() != p.subject.URL() {
			p.prepare(&v)
		}
		p.run(&v, p.yardstick(), p.Reference, nil)
	}
	tests := p.Cores
	if len(tests) == 0 {
		tests = []CoreTest{{p.yardstick(), p.Reference}}
	}
	for _, n := range p.CPUs {
		name := format.Plural(n, "core")
		v := Variant{Name: name, Description: "the service may use " + name + " at once (GOMAXPROCS)", CPUs: n}
		for _, c := range tests {
			p.run(&v, c.Workload, c.Users, nil)
		}
	}
}

// essential reports whether all other steps depend on a step.
func essential(s *Step) bool {
	return s.Variant == nil && slices.Contains([]StepKind{KindCreate, KindLoad, KindBackup, KindRestore}, s.Kind)
}

// bound leaves out the steps that do not fit into the time limit. Steps are in the order of their importance, and a
// variant is run completely or not at all.
func bound(steps []Step, limit float64) error {
	if limit == 0 {
		return nil
	}
	used := 0.0
	for i := range steps {
		if essential(&steps[i]) {
			used += steps[i].Expected
		}
	}
	least := used
	for _, group := range groups(steps) {
		if essential(&group[0]) {
			continue
		}
		if needs := left(group); used+needs <= limit {
			used += needs
			continue
		}
		for i := range group {
			if group[i].State == Planned {
				group[i].State, group[i].Reason = LeftOut, tooLate
			}
		}
	}
	if !slices.ContainsFunc(steps, func(s Step) bool { return s.Kind == KindRun && s.State == Planned }) {
		return fmt.Errorf("--limit is too short: loading, backup and restore take about %s, and no run fits into the rest",
			about(least))
	}
	return nil
}

// tooLate is the reason of a step that was left out because of Settings.Limit.
const tooLate = "not within the time limit"

// groups returns the steps of each variant together, and every other step alone.
func groups(steps []Step) [][]Step {
	var all [][]Step
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && steps[0].Variant.same(steps[n].Variant) {
			n++
		}
		all, steps = append(all, steps[:n]), steps[n:]
	}
	return all
}

// left returns the estimated seconds of the steps that have not been run.
func left(steps []Step) (seconds float64) {
	for _, s := range steps {
		if s.State == Planned || s.State == Interrupted {
			seconds += s.Expected
		}
	}
	return seconds
}

// about returns a planned time in whole seconds: 12 s, 3:05, 1:02:03.
func about(took float64) string { return format.Clock(seconds(took)) }
