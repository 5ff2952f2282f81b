package campaign

import (
	"fmt"
	"io"
	"strings"
	"time"

	"brokerage/internal/format"
)

// Terminal shows a person how far a campaign is. It writes a line when a step has ended, and on a terminal another one
// that shows the step in progress.
type Terminal struct {
	Out  io.Writer
	Draw func(line string) // replaces the last line that it wrote; nil without a terminal

	step string // in progress
}

// say writes a line. It ignores errors, which could not be reported either.
func (t *Terminal) say(line string) { _, _ = fmt.Fprintln(t.Out, line) }

func (t *Terminal) draw(line string) {
	if t.Draw != nil {
		t.Draw(line)
	}
}

func (t *Terminal) began(i int, r *Record) {
	t.step = numberOf(i, r) + r.Steps[i].Name
	t.draw(t.step)
}

// within reports the share of the step that is done, from 0 to 1.
func (t *Terminal) within(share float64) { t.draw(fmt.Sprintf("%s, %.0f %%", t.step, 100*share)) }

func (t *Terminal) ended(i int, r *Record) {
	t.draw("")
	s := &r.Steps[i]
	result := Outcome(s)
	if s.State != Done {
		result = string(s.State)
	}
	took := format.Duration(time.Duration(s.Seconds * float64(time.Second)))
	line := fmt.Sprintf("%s%-44s %7s  %s", numberOf(i, r), s.Name, took, result)
	t.say(strings.TrimRight(line, " "))
}

// numberOf returns the number of a step among all.
func numberOf(i int, r *Record) string {
	digits := len(fmt.Sprint(len(r.Steps)))
	return fmt.Sprintf("%*d/%d  ", digits, i+1, len(r.Steps))
}

// planText returns how many steps are to be run, and how long the timed runs among them take.
func planText(r *Record) string {
	todo, runs := 0, time.Duration(0)
	for _, s := range r.Steps {
		if s.State == Done {
			continue
		}
		todo++
		if s.Kind == KindRun && s.Plan.Documents == 0 {
			runs += r.Settings.WarmUp.Duration + r.Settings.Duration.Duration
		}
	}
	text := fmt.Sprintf("%s, %d of them to run: the timed runs take %s, besides load, population and restores",
		format.Plural(len(r.Steps), "step"), todo, format.Clock(runs))
	if r.Smoke {
		text += "; a smoke campaign, whose figures do not count"
	}
	return text
}

// WritePlan writes the steps of a campaign.
func WritePlan(w io.Writer, r *Record) error {
	lines := []string{fmt.Sprintf("preset %s, scale %s of %s", r.Preset, r.Settings.Scale, r.Settings.Profile)}
	for i, step := range r.Steps {
		line := numberOf(i, r) + step.Name
		if step.State != Planned {
			line += ": " + string(step.State)
		}
		lines = append(lines, line)
	}
	lines = append(lines, planText(r), "nothing was started")
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// Outcome returns the figures of a step in a few words.
func Outcome(s *Step) string {
	seconds := max(s.Seconds, 1e-3)
	switch {
	case s.Load != nil:
		return fmt.Sprintf("%s documents of %s, %s/s, with %.1f s for indexes at the end", format.Count(s.Load.Documents),
			format.Bytes(s.Load.Bytes), format.Figure(float64(s.Load.Documents)/seconds), s.Load.Finish)
	case s.Space != nil:
		return fmt.Sprintf("%s, %.1f %% of the size of the documents", format.Bytes(s.Space.Total),
			100*float64(s.Space.Total)/max(float64(s.Space.Raw), 1))
	case s.Copy != nil && s.Copy.Database > 0: // Db2's own commands do not report it
		return fmt.Sprintf("%s at %s/s", format.Bytes(s.Copy.Database), format.Bytes(float64(s.Copy.Database)/seconds))
	case s.Kind == KindCrash && s.Run != nil && s.Run.Proof != nil:
		return fmt.Sprintf("%s; %s", s.Run.Proof, s.Run.Break)
	case s.Run != nil:
		text := fmt.Sprintf("%s/s, p99 %.1f ms, %s", format.Figure(s.Run.TPS), s.Run.Total.Latency.P99/1000,
			format.Plural(s.Plan.Connections, "connection"))
		if s.Run.Validity.Invalid() {
			text += ", INVALID"
		}
		return text
	}
	var kinds []string
	for _, stages := range ByWorkload(s.Inserts) {
		var rates []string
		for _, g := range stages {
			rates = append(rates, format.Figure(g.Rate)+"/s")
		}
		kinds = append(kinds, stages[0].Workload+" "+strings.Join(rates, " "))
	}
	return strings.Join(kinds, "; ")
}
