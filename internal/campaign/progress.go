package campaign

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"brokerage/internal/format"
)

// Progress shows a person how far a campaign is.
type Progress interface {
	// Say is called before the first step, with what is to be done.
	Say(line string)
	// Began and Ended are called for each step, with its index.
	Began(i int, r *Record)
	Ended(i int, r *Record)
	// Within reports the share of the step that is done, from 0 to 1.
	Within(share float64)
}

// terminal writes a line when a step has ended, and on a terminal another one that shows the step in progress.
type terminal struct {
	out  io.Writer
	draw func(line string) // replaces the last line that it wrote; nil without a terminal

	mu    sync.Mutex
	step  string // in progress
	part  string
	began time.Time
	stop  chan struct{}
	drawn sync.WaitGroup
}

// Terminal returns a Progress that writes to out. redraw replaces the last line that it wrote, on a terminal; it is nil
// for a file.
func Terminal(out io.Writer, redraw func(line string)) Progress {
	return &terminal{out: out, draw: redraw}
}

// Say ignores errors, which could not be reported either.
func (t *terminal) Say(line string) { _, _ = fmt.Fprintln(t.out, line) }

// planText says how many steps are to be run, and how long their runs take.
func planText(r *Record) string {
	todo, runs := 0, time.Duration(0)
	for _, s := range r.Steps {
		if s.State.todo() {
			todo++
			if s.Kind == KindRun && s.Plan.Documents == 0 {
				runs += r.Settings.WarmUp.Duration + r.Settings.Duration.Duration
			}
		}
	}
	text := fmt.Sprintf("%s, %d of them to run: the runs of planned length take %s, beside load, population and restores",
		format.Plural(len(r.Steps), "step"), todo, format.Clock(runs))
	if r.Smoke {
		text += "; a smoke campaign, whose figures do not count"
	}
	return text
}

// WritePlan writes the steps of a campaign.
func WritePlan(w io.Writer, r *Record) error {
	s := r.Settings
	text := fmt.Sprintf("preset %s, scale %s of %s", s.Preset, s.Scale, s.Profile)
	if s.DataScale != 1 || s.TimeScale != 1 {
		text += fmt.Sprintf(", %g times its documents and %g times its times", s.DataScale, s.TimeScale)
	}
	lines := []string{text}
	for i, step := range r.Steps {
		line := numberOf(i, r) + step.Name
		switch {
		case !step.State.todo():
			line += ": " + step.stateText()
		case step.Plan != nil && step.Plan.Connections > 0:
			line += ", " + format.Plural(step.Plan.Connections, "connection")
		}
		lines = append(lines, line)
	}
	lines = append(lines, planText(r), "nothing was started")
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

func (t *terminal) Began(i int, r *Record) {
	t.mu.Lock()
	t.step, t.part, t.began = numberOf(i, r)+r.Steps[i].Name, "", time.Now()
	t.mu.Unlock()
	if t.draw == nil {
		return
	}
	t.stop = make(chan struct{})
	t.drawn.Go(func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			t.redraw()
			select {
			case <-t.stop:
				return
			case <-tick.C:
			}
		}
	})
}

func (t *terminal) redraw() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.draw(t.step + t.part + "  " + format.Clock(time.Since(t.began)))
}

func (t *terminal) Within(share float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.part = fmt.Sprintf(", %.0f %%", 100*share)
}

func (t *terminal) Ended(i int, r *Record) {
	if t.stop != nil {
		close(t.stop)
		t.drawn.Wait()
		t.stop = nil
		t.draw("")
	}
	s := &r.Steps[i]
	result := Outcome(s)
	if s.State != Done {
		result = s.stateText()
	}
	took := format.Duration(time.Duration(s.Seconds * float64(time.Second)))
	line := fmt.Sprintf("%s%-44s %7s  %s", numberOf(i, r), s.Name, took, result)
	t.Say(strings.TrimRight(line, " "))
}

// stateText returns the state, and why.
func (s *Step) stateText() string { return strings.TrimSuffix(string(s.State)+": "+s.Reason, ": ") }

// numberOf returns the number of a step among all.
func numberOf(i int, r *Record) string {
	digits := len(fmt.Sprint(len(r.Steps)))
	return fmt.Sprintf("%*d/%d  ", digits, i+1, len(r.Steps))
}

// Outcome returns the figures of a step in a few words; some steps have none but their time.
func Outcome(s *Step) string {
	switch {
	case s.Load != nil:
		return fmt.Sprintf("%s documents of %s, %.0f/s, with %.1f s for indexes at the end", format.Count(s.Load.Documents),
			format.Bytes(s.Load.Bytes), float64(s.Load.Documents)/max(s.Seconds, 1e-3), s.Load.Finish)
	case s.Space != nil:
		return fmt.Sprintf("%s, %.1f %% of the documents", format.Bytes(s.Space.Total),
			100*float64(s.Space.Total)/max(float64(s.Space.Raw), 1))
	case s.Copy != nil:
		return fmt.Sprintf("%s at %s/s", format.Bytes(s.Copy.Database), format.Bytes(s.Copy.Rate))
	case s.Kind == KindCrash && s.Run != nil && s.Run.Proof != nil:
		return fmt.Sprintf("%s; %s", s.Run.Proof, s.Run.Break)
	case s.Run != nil:
		text := fmt.Sprintf("%.0f/s, p99 %.1f ms", s.Run.TPS, s.Run.Total.Latency.P99/1000)
		if s.Plan.Connections > 0 {
			text += ", " + format.Plural(s.Plan.Connections, "connection")
		}
		if s.Run.Validity.Invalid() {
			text += ", INVALID"
		}
		return text
	case len(s.Inserts) > 0:
		return insertsOutcome(s.Inserts)
	default:
		return ""
	}
}

// insertsOutcome returns the rates of all stages.
func insertsOutcome(inserts []Growth) string {
	var parts []string
	for _, stages := range ByWorkload(inserts) {
		var rates []string
		for _, g := range stages {
			rates = append(rates, fmt.Sprintf("%.0f", g.Rate))
		}
		parts = append(parts, stages[0].Workload+" "+strings.Join(rates, ", ")+"/s")
	}
	return strings.Join(parts, "; ")
}
