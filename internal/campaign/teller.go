package campaign

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"brokerage/internal/dataset"
)

// Teller tells a person how far a campaign is.
type Teller interface {
	// Nothing says that the campaign in a file has been run.
	Nothing(file string)
	// Plan says what will be done, before the first step.
	Plan(r *Record)
	// Began and Ended are told of each step, by its index.
	Began(i int, r *Record)
	Ended(i int, r *Record)
	// Within says how much of the step is done, of 1; Repeat which part of it begins.
	Within(share float64)
	Repeat(n, of int)
}

// terminal writes a line when a step has ended. Where a person looks, another one shows what is being done meanwhile.
type terminal struct {
	out   io.Writer
	width int // 0: nobody looks

	mu     sync.Mutex
	step   string // that runs now; empty if none does
	part   string
	began  time.Time
	expect float64 // of the step
	after  float64 // of the steps to come
	stop   chan struct{}
	ended  chan struct{}
}

// Terminal tells on out, which is so many columns wide; 0 is for a file.
func Terminal(out io.Writer, width int) Teller {
	return &terminal{out: out, width: width}
}

// say writes; when not even this can be written, nobody is left to tell.
func (t *terminal) say(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format, args...) }

func (t *terminal) Nothing(file string) {
	t.say("nothing to do: the campaign in %s has been run\n", file)
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
	t.say("%s, %d of them to run, about %s%s\n", plural(len(r.Steps), "step"), todo, about(left(r.Steps)), stamp)
	if len(skipped) > 0 {
		t.say("left out: %s\n", strings.Join(skipped, "; "))
	}
	t.say("%*s%-40s %8s %8s  %s\n", len(place(0, r)), "", "step", "took", "left", "result")
}

const redrawEvery = 500 * time.Millisecond

func (t *terminal) Began(i int, r *Record) {
	s := &r.Steps[i]
	t.mu.Lock()
	t.step, t.part = place(i, r)+s.Name, ""
	t.began, t.expect, t.after = time.Now(), s.Expected, left(r.Steps[i+1:])
	t.mu.Unlock()
	if t.width == 0 {
		return
	}
	t.stop, t.ended = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(t.ended)
		tick := time.NewTicker(redrawEvery)
		defer tick.Stop()
		for {
			t.redraw()
			select {
			case <-t.stop:
				return
			case <-tick.C:
			}
		}
	}()
}

func (t *terminal) redraw() {
	t.mu.Lock()
	defer t.mu.Unlock()
	spent := time.Since(t.began).Seconds()
	line := fmt.Sprintf("%s%s  %s of about %s, then about %s", t.step, t.part, about(spent), about(t.expect), about(t.after))
	t.say("\r%s\x1b[K", line[:min(len(line), t.width-1)])
}

func (t *terminal) Within(share float64) { t.setPart(fmt.Sprintf(", %.0f %%", 100*share)) }
func (t *terminal) Repeat(n, of int) {
	if of > 1 {
		t.setPart(fmt.Sprintf(", %d of %d", n, of))
	}
}

func (t *terminal) setPart(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.part = text
}

func (t *terminal) Ended(i int, r *Record) {
	if t.stop != nil {
		close(t.stop)
		<-t.ended
		t.stop = nil
		t.say("\r\x1b[K")
	}
	s := &r.Steps[i]
	result := outcome(s)
	if s.State != Done {
		result = strings.TrimSuffix(string(s.State)+": "+s.Reason, ": ")
	}
	line := fmt.Sprintf("%s%-40s %8s %8s  %s", place(i, r), s.Name, took(s.Seconds), about(left(r.Steps[i+1:])), result)
	t.say("%s\n", strings.TrimRight(line, " "))
}

// took is a time that was measured.
func took(seconds float64) string {
	if seconds < 10 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return about(seconds)
}

// place is a step's number among all.
func place(i int, r *Record) string {
	digits := len(fmt.Sprint(len(r.Steps)))
	return fmt.Sprintf("%*d/%d  ", digits, i+1, len(r.Steps))
}

// outcome is what a step has measured, in a few words.
func outcome(s *Step) string {
	switch s.Kind {
	case KindLoad:
		if s.Load == nil {
			return ""
		}
		seconds := s.Load.Finish
		for _, stage := range s.Load.Stages {
			seconds += stage.Seconds
		}
		return fmt.Sprintf("%d documents, %.0f/s with indexes", s.Load.Documents, float64(s.Load.Documents)/max(seconds, 1e-3))
	case KindSpace:
		if s.Space == nil {
			return ""
		}
		return fmt.Sprintf("%.1f MB, %.1f %% of the documents", float64(s.Space.Total)/1e6, 100*float64(s.Space.Total)/max(float64(s.Space.Raw), 1))
	case KindBackup, KindRestore:
		if s.Copy == nil {
			return ""
		}
		return fmt.Sprintf("%.1f MB at %.0f MB/s", float64(s.Copy.Database)/1e6, s.Copy.Rate/1e6)
	case KindRun:
		return runOutcome(s.Runs)
	case KindInserts:
		return insertsOutcome(s.Inserts)
	case KindTier:
		if s.Tier == nil {
			return ""
		}
		t := s.Tier.Total
		return fmt.Sprintf("%.0f/s through the service, %.0f/s directly", t.HTTPTPS, t.DirectTPS)
	default: // its time says it
		return ""
	}
}

// runOutcome gives the median of the repeats, with the least and the most.
func runOutcome(runs []Repeat) string {
	if len(runs) == 0 {
		return ""
	}
	var tps, p99 []float64
	invalid := 0
	for _, r := range runs {
		tps, p99 = append(tps, r.Run.TPS), append(p99, r.Run.Total.Latency.P99)
		if r.Run.Validity.Invalid() {
			invalid++
		}
	}
	slices.Sort(tps)
	slices.Sort(p99)
	text := fmt.Sprintf("%.0f/s", median(tps))
	if len(tps) > 1 {
		text += fmt.Sprintf(" (%.0f to %.0f)", tps[0], tps[len(tps)-1])
	}
	text += fmt.Sprintf(", p99 %.1f ms", median(p99)/1000)
	if invalid > 0 {
		text += fmt.Sprintf(", %d INVALID", invalid)
	}
	return text
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
			parts = append(parts, fmt.Sprintf("%ss %s/s", dataset.Kinds[insertedKind(w)], strings.Join(rates, ", ")))
		}
	}
	return strings.Join(parts, "; ")
}

// median is the middle of sorted values, or the mean of the two in the middle.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
