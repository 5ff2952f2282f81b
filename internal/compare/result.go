package compare

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// Format is the version of the form of a Result.
const Format = "brokerage-comparison/1"

// Verdict is the outcome of a comparison, about B.
type Verdict string

const (
	Faster    Verdict = "faster"
	Slower    Verdict = "slower"
	Equal     Verdict = "equal"
	Undecided Verdict = "undecided"
	Invalid   Verdict = "INVALID"
)

// Result is the result of a comparison. Its changes are of B against A: -0.03 is 3 % less.
type Result struct {
	Format  string `json:"format"`
	Version string `json:"version"` // of this program
	Commit  string `json:"commit,omitempty"`

	Verdict Verdict  `json:"verdict"`
	Answer  string   `json:"answer"` // a sentence
	Notes   []string `json:"notes,omitempty"`

	Started time.Time     `json:"started"`
	Took    float64       `json:"seconds"`
	Within  float64       `json:"withinSeconds"`
	Sides   [2]SideResult `json:"sides"` // A, B

	Workload  result.WorkloadStamp `json:"workload"`
	Model     result.Model         `json:"model"` // the users are those of each side
	Seed      uint64               `json:"seed"`
	Dataset   result.DatasetStamp  `json:"dataset"`
	Machine   result.Machine       `json:"machine"`
	Detect    float64              `json:"detect"`
	Tolerance float64              `json:"tolerance"`

	Figures      []Row `json:"figures"`
	Transactions []Row `json:"transactions"` // their mean times

	SliceSeconds float64        `json:"sliceSeconds"`
	InBlock      int            `json:"slicesInBlock"`
	Repeated     map[string]int `json:"repeated"` // disturbed slices, by reason
	Blocks       []Block        `json:"blocks"`
	Looks        []Look         `json:"looks"`
}

// SideResult describes a side.
type SideResult struct {
	Name     string            `json:"name"`
	Target   result.Target     `json:"target"`
	Settings map[string]string `json:"settings"`     // of the store
	Counted  int               `json:"transactions"` // that count
	Failed   map[string]int    `json:"failed"`       // of them, by reason
	Grown    int64             `json:"grown"`        // documents inserted and not deleted
}

// Row compares a figure: means of the slices of A and B, and the change from A to B.
type Row struct {
	Name    string   `json:"name"`
	Unit    string   `json:"unit"`
	A       float64  `json:"a"`
	B       float64  `json:"b"`
	Change  Interval `json:"change"`
	Decides bool     `json:"decides,omitempty"`
	More    bool     `json:"moreIsBetter,omitempty"`
}

// Differs reports whether the interval of a row does not contain 0.
func (r *Row) Differs() bool { return r.Change.Low > 0 || r.Change.High < 0 }

// Block is a block of slices: the first deciding figure on both sides, and its change.
type Block struct {
	At     float64 `json:"at"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
	Change float64 `json:"change"`
}

// Look is the interval of the first deciding figure at a look.
type Look struct {
	At float64 `json:"at"`
	Interval
}

// Disturbed returns the number of slices that were repeated.
func (r *Result) Disturbed() (n int) {
	for _, times := range r.Repeated {
		n += times
	}
	return n
}

// note adds a note, once.
func (r *Result) note(format string, values ...any) {
	if text := fmt.Sprintf(format, values...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// describe returns a result without figures.
func (c *comparison) describe() *Result {
	about := c.sides[0].about
	r := &Result{
		Format: Format, Version: c.Version, Commit: c.Commit, Verdict: Undecided, Started: c.began.UTC(),
		Within: c.Within.Seconds(), Workload: about.Workload, Model: about.Model, Seed: c.Seed, Dataset: about.Dataset,
		Machine: about.Machine, Detect: c.Detect, Tolerance: c.Tolerance, Repeated: make(map[string]int),
	}
	hidden := false
	for i, s := range c.sides {
		r.Sides[i] = SideResult{Name: s.name, Target: s.about.Target, Settings: s.about.Settings,
			Failed: make(map[string]int)}
		if s.about.Settings["durability"] == string(tpox.NotDurable) {
			r.note("%c is not durable: it may lose acknowledged writes when the power fails", 'A'+i)
		}
		other := c.sides[1-i]
		watched := s.process != nil || s.server != 0 && s.server != other.server || s.says && s.url != other.url
		hidden = hidden || !watched
	}
	if hidden {
		r.note("it is not known whether a side keeps working during the slices of the other: at least one has no processes " +
			"of its own on this computer, and does not report its processor time")
	}
	return r
}

// Interval is an estimate with its 95 % interval. In a result all three are changes from A to B: -0.03 is 3 % less.
type Interval struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Known reports whether the ends of the interval are close enough to say anything. They are far apart when there
// are few blocks, or when blocks resemble their neighbours.
func (i Interval) Known() bool { return i.High-i.Low <= 10 }

// String returns the ends of the interval, unless it is not Known.
func (i Interval) String() string {
	if !i.Known() {
		return "not known yet"
	}
	return signed(i.Low) + " to " + signed(i.High) + " %"
}

// percent writes a share as a percentage, without its sign.
func percent(share float64) string { return format.Fixed(100*math.Abs(share), 1) }

func signed(share float64) string {
	text := format.Fixed(100*share, 1)
	if strings.HasPrefix(text, format.Minus) {
		return text
	}
	return "+" + text
}

// Write writes the result for a terminal: the answer, what was compared, the figures, and the transactions that differ.
func (r *Result) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.Answer)
	for i, side := range r.Sides {
		fmt.Fprintf(&b, "%c  %s", 'A'+i, side.Name)
		for _, name := range r.Differing() {
			fmt.Fprintf(&b, "  %s=%s", name, cmp.Or(side.Settings[name], "none"))
		}
		b.WriteString("\n")
	}
	const line = "%-37s %11s %11s %12s   %s\n"
	fmt.Fprintf(&b, "\n"+line, "mean of the slices", "A", "B", "B against A", "95 %")
	for i, row := range slices.Concat(r.Figures, r.Transactions) {
		if i < len(r.Figures) || row.Differs() {
			fmt.Fprintf(&b, line, row.Name+", "+row.Unit, format.Figure(row.A), format.Figure(row.B),
				signed(row.Change.Estimate)+" %", row.Change)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", r.How())
	for _, note := range r.Notes {
		fmt.Fprintln(&b, note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// How describes what was measured.
func (r *Result) How() string {
	load := format.Plural(r.Model.Users, "user")
	if r.Model.Rate > 0 {
		load = format.Figure(r.Model.Rate) + " transactions a second"
	}
	parts := []string{fmt.Sprintf("workload %s on %s, %s: %s of %d slices of %s s in random order", r.Workload.Name,
		r.Dataset.Fingerprint, load, format.Plural(len(r.Blocks), "block"), r.InBlock, format.Figure(r.SliceSeconds))}
	for _, reason := range slices.Sorted(maps.Keys(r.Repeated)) {
		parts = append(parts, format.Plural(r.Repeated[reason], "slice")+" repeated: "+reason)
	}
	return strings.Join(parts, "; ")
}

// Differing returns the names of the settings of the stores that differ.
func (r *Result) Differing() (names []string) {
	a, b := r.Sides[0].Settings, r.Sides[1].Settings
	all := maps.Clone(a)
	maps.Copy(all, b)
	for name := range all {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
