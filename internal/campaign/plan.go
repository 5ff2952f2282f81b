package campaign

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/format"
)

// The mixed workload at the reference number of users is repeated at least this often, to measure the noise.
const referenceRepeats = 3

// runOverhead is the time, in seconds, to start and stop the service and to prepare the users of a run.
const runOverhead = 2

// planner lists the steps of a campaign.
type planner struct {
	settings Settings
	engine   Engine
	dataset  *dataset.Dataset
	cores    int
	steps    []Step
}

// plan returns all steps with their estimated times. Steps that the engine cannot run are left out, with the reason.
func plan(s Settings, e Engine, d *dataset.Dataset, cores int) []Step {
	p := &planner{settings: s, engine: e, dataset: d, cores: cores}
	p.prepare(nil)
	p.scale()
	p.single()
	p.inserts()
	p.tier()
	p.variants()
	p.processors()
	for i := range p.steps {
		if reason := e.Lacks(p.steps[i].Kind); reason != "" {
			p.steps[i].State, p.steps[i].Reason, p.steps[i].Expected = LeftOut, reason, 0
		}
	}
	return p.steps
}

func (p *planner) add(s Step) {
	s.State = Planned
	if s.Variant != nil {
		s.Name = s.Variant.Name + ": " + s.Name
	}
	p.steps = append(p.steps, s)
}

func (p *planner) seconds(bytes, pace float64) float64 { return 0.5 + bytes/pace }

func (p *planner) restore() float64 {
	if p.engine.Lacks(KindRestore) != "" {
		return 0
	}
	return p.seconds(rawBytes(p.dataset)/2, p.engine.Pace().Restore)
}

// prepare adds the steps that come before any load on a database.
func (p *planner) prepare(v *Variant) {
	pace := p.engine.Pace()
	reading := p.seconds(rawBytes(p.dataset)/2, pace.Backup)
	p.add(Step{Name: "create", Kind: KindCreate, Variant: v, Expected: 0.5})
	p.add(Step{Name: "load", Kind: KindLoad, Variant: v, Expected: p.seconds(rawBytes(p.dataset), pace.Load)})
	p.add(Step{Name: "statistics", Kind: KindStatistics, Variant: v, Expected: reading})
	p.add(Step{Name: "space", Kind: KindSpace, Variant: v, Expected: reading})
	p.add(Step{Name: "backup", Kind: KindBackup, Variant: v, Expected: reading})
	p.add(Step{Name: "restore", Kind: KindRestore, Variant: v, Expected: p.restore()})
}

// run adds a step that runs a workload.
func (p *planner) run(v *Variant, workload string, users, repeats int, validate *bool) {
	label := nameOf(workload)
	if validate != nil && !*validate {
		label += ", not validated"
	}
	r := RunPlan{Workload: workload, Label: label, Validate: validate, Users: users, Repeats: repeats}
	each := p.settings.WarmUp + p.settings.Duration + p.restore() + runOverhead
	p.add(Step{
		Name: fmt.Sprintf("%s, %s", label, format.Plural(users, "user")), Kind: KindRun, Variant: v, Plan: &r,
		Expected: each * float64(repeats),
	})
}

// nameOf returns the name of a workload; that of a file is its base name.
func nameOf(workload string) string {
	return strings.TrimSuffix(filepath.Base(workload), ".json")
}

func (p *planner) has(workload string) bool { return slices.Contains(p.settings.Workloads, workload) }

// scaled reports whether a workload is run with every number of users, not only with the reference.
func scaled(workload string) bool {
	return !slices.Contains([]string{classic, insertOrders, insertCustomers}, workload)
}

// scale adds the runs that show throughput against users.
func (p *planner) scale() {
	for _, w := range p.settings.Workloads {
		if !scaled(w) {
			continue
		}
		users := p.settings.Users
		if w == p.yardstick() && !slices.Contains(users, p.settings.Reference) {
			users = append(slices.Clone(users), p.settings.Reference)
		}
		for _, n := range users {
			repeats := p.settings.Repeat
			if w == p.yardstick() && n == p.settings.Reference {
				repeats = max(repeats, referenceRepeats)
			}
			p.run(nil, w, n, repeats, nil)
		}
	}
}

// yardstick returns the workload by which settings are compared.
func (p *planner) yardstick() string {
	if p.has(mixed) {
		return mixed
	}
	return p.settings.Workloads[0]
}

// single adds the runs with the reference number of users alone. The papers did not validate inserts of customers, so
// they are run with and without validation.
func (p *planner) single() {
	for _, w := range p.settings.Workloads {
		if scaled(w) {
			continue
		}
		p.run(nil, w, p.settings.Reference, p.settings.Repeat, nil)
		if w == insertCustomers {
			not := false
			p.run(nil, w, p.settings.Reference, p.settings.Repeat, &not)
		}
	}
}

func (p *planner) inserts() {
	s := p.settings
	if s.Stages == 0 {
		return
	}
	each := float64(len(stageWorkloads))*(s.Stage+stageWarmUp(s.Stage)+runOverhead) + p.seconds(rawBytes(p.dataset),
		p.engine.Pace().Backup)
	p.add(Step{Name: "staged inserts", Kind: KindInserts, Expected: p.restore() + float64(s.Stages)*each})
}

// tier adds the comparison of the tier, which takes half of its time for each side.
func (p *planner) tier() {
	if p.settings.Tier > 0 {
		p.add(Step{Name: "tier", Kind: KindTier, Expected: p.restore() + p.settings.Tier +
			2*tierTurns*(p.settings.WarmUp+runOverhead)})
	}
}

// variants adds the comparison of the default settings with others.
func (p *planner) variants() {
	if !p.settings.Tuned {
		return
	}
	for _, v := range p.engine.Variants(p.cores) {
		if p.engine.As(v).URL() != p.engine.URL() {
			p.prepare(&v)
		}
		p.run(&v, p.yardstick(), p.settings.Reference, p.settings.Repeat, nil)
	}
}

// processors adds the runs that show throughput against the cores that the service may use.
func (p *planner) processors() {
	for _, n := range p.settings.CPUs {
		v := Variant{Name: format.Plural(n, "core"), Description: "the service may use " + format.Plural(n,
			"core") + " at once (GOMAXPROCS)", CPUs: n}
		p.run(&v, p.yardstick(), p.settings.Reference, p.settings.Repeat, nil)
	}
}

// essential reports whether all other steps depend on a step.
func essential(s *Step) bool {
	switch s.Kind {
	case KindCreate, KindLoad, KindBackup, KindRestore:
		return s.Variant == nil
	default:
		return false
	}
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
		expected := 0.0
		for i := range group {
			if group[i].State == Planned && !essential(&group[i]) {
				expected += group[i].Expected
			}
		}
		if used+expected <= limit {
			used += expected
			continue
		}
		for i := range group {
			if group[i].State == Planned && !essential(&group[i]) {
				group[i].State, group[i].Reason = LeftOut, "not within the time limit"
			}
		}
	}
	for i := range steps {
		if steps[i].Kind == KindRun && steps[i].State == Planned {
			return nil
		}
	}
	return fmt.Errorf("--limit is too short: loading, backup and restore take about %s, and no run fits into the rest",
		about(least))
}

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
