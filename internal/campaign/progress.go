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
	// Nothing is called when the campaign in a file has already been run.
	Nothing(file string)
	// Plan is called before the first step.
	Plan(r *Record)
	// Began and Ended are called for each step, with its index.
	Began(i int, r *Record)
	Ended(i int, r *Record)
	// Within reports the share of the step that is done, from 0 to 1.
	Within(share float64)
}

// terminal writes a line when a step has ended, and on a terminal another one that shows the step in progress.
type terminal struct {
	out   io.Writer
	width int // of the terminal; 0 when there is none
	draw  func(line string)

	mu     sync.Mutex
	step   string // in progress
	part   string
	began  time.Time
	expect string // time of the step, and of the steps to come
	stop   chan struct{}
	drawn  sync.WaitGroup
}

// Terminal returns a Progress that writes to out. The width is that of the terminal in columns, or 0 for a file. redraw
// replaces the last line that it wrote; it is called for a terminal alone.
func Terminal(out io.Writer, width int, redraw func(line string)) Progress {
	return &terminal{out: out, width: width, draw: redraw}
}

// printf ignores errors, which could not be reported either.
func (t *terminal) printf(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format, args...) }

func (t *terminal) Nothing(file string) {
	t.printf("nothing to do: the campaign in %s is complete\n", file)
}

func (t *terminal) Plan(r *Record) {
	var skipped []string
	todo := 0
	for _, s := range r.Steps {
		switch s.State {
		case LeftOut:
			skipped = append(skipped, s.Name+" ("+s.Reason+")")
		case Planned, Interrupted:
			todo++
		case Done:
		}
	}
	stamp := ""
	if r.Smoke {
		stamp = "; a smoke campaign, whose figures do not count"
	}
	t.printf("%s, %d of them to run, about %s%s\n", format.Plural(len(r.Steps), "step"), todo, about(left(r.Steps)), stamp)
	if len(skipped) > 0 {
		t.printf("left out: %s\n", strings.Join(skipped, "; "))
	}
	t.printf("%*s%-40s %8s %8s  %s\n", len(numberOf(0, r)), "", "step", "took", "left", "result")
}

// WritePlan writes the steps of a campaign with their estimated times, and when each begins.
func WritePlan(w io.Writer, r *Record) error {
	s := r.Settings
	text := fmt.Sprintf("preset %s, scale %s of %s", s.Preset, s.Scale, s.Profile)
	if s.DataScale > 0 {
		text += fmt.Sprintf(", %g times its documents and %g times its times", s.DataScale, s.TimeScale)
	}
	lines := []string{text, fmt.Sprintf("%*s%-52s %9s %9s", len(numberOf(0, r)), "", "step", "from", "takes")}
	begins := 0.0
	for i, step := range r.Steps {
		line := fmt.Sprintf("%s%-52s ", numberOf(i, r), step.Name)
		if step.State == Planned || step.State == Interrupted {
			line += fmt.Sprintf("%9s %9s", about(begins), about(step.Expected))
			begins += step.Expected
		} else {
			line += strings.TrimSuffix(string(step.State)+": "+step.Reason, ": ")
		}
		lines = append(lines, line)
	}
	lines = append(lines, fmt.Sprintf("%s, about %s; nothing was started", format.Plural(len(r.Steps), "step"),
		about(begins)))
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

func (t *terminal) Began(i int, r *Record) {
	s := &r.Steps[i]
	t.mu.Lock()
	t.step, t.part, t.began = numberOf(i, r)+s.Name, "", time.Now()
	t.expect = about(s.Expected) + ", then about " + about(left(r.Steps[i+1:]))
	t.mu.Unlock()
	if t.width == 0 {
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
	line := fmt.Sprintf("%s%s  %s of about %s", t.step, t.part, format.Clock(time.Since(t.began)), t.expect)
	t.draw(line[:min(len(line), t.width-1)])
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
	result := outcome(s)
	if s.State != Done {
		result = strings.TrimSuffix(string(s.State)+": "+s.Reason, ": ")
	}
	line := fmt.Sprintf("%s%-40s %8s %8s  %s", numberOf(i, r), s.Name, format.Duration(seconds(s.Seconds)),
		about(left(r.Steps[i+1:])), result)
	t.printf("%s\n", strings.TrimRight(line, " "))
}

// numberOf returns the number of a step among all.
func numberOf(i int, r *Record) string {
	digits := len(fmt.Sprint(len(r.Steps)))
	return fmt.Sprintf("%*d/%d  ", digits, i+1, len(r.Steps))
}

// outcome returns the figures of a step in a few words; most steps have none but their time.
func outcome(s *Step) string {
	switch {
	case s.Load != nil:
		took := s.Load.Finish
		for _, stage := range s.Load.Stages {
			took += stage.Seconds
		}
		return fmt.Sprintf("%s documents, %.0f/s with indexes", format.Count(s.Load.Documents),
			float64(s.Load.Documents)/max(took, 1e-3))
	case s.Space != nil:
		return fmt.Sprintf("%s, %.1f %% of the documents", format.Bytes(s.Space.Total),
			100*float64(s.Space.Total)/max(float64(s.Space.Raw), 1))
	case s.Copy != nil:
		return fmt.Sprintf("%s at %s/s", format.Bytes(s.Copy.Database), format.Bytes(s.Copy.Rate))
	case s.Run != nil:
		text := fmt.Sprintf("%.0f/s, p99 %.1f ms", s.Run.TPS, s.Run.Total.Latency.P99/1000)
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

func insertsOutcome(inserts []Growth) string {
	var parts []string
	for _, w := range stageWorkloads {
		var rates []string
		for _, g := range inserts {
			if g.Workload == w {
				rates = append(rates, fmt.Sprintf("%.0f", g.Rate))
			}
		}
		if len(rates) > 0 {
			parts = append(parts, fmt.Sprintf("%ss %s/s", insertedKind(w), strings.Join(rates, ", ")))
		}
	}
	return strings.Join(parts, "; ")
}
