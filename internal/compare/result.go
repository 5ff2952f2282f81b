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

// Verdict is the answer of a comparison, about B.
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
	Answer  string   `json:"answer"`            // a sentence
	Because string   `json:"because,omitempty"` // why it is undecided, if not for lack of time
	Reasons []string `json:"reasons,omitempty"` // why it is INVALID
	Notes   []string `json:"notes,omitempty"`

	Started time.Time     `json:"started"`
	Took    float64       `json:"seconds"`
	Within  float64       `json:"withinSeconds"`
	Sides   [2]SideResult `json:"sides"` // A, B

	Workload  string              `json:"workload"`
	SHA256    string              `json:"workloadSHA256"`
	Weights   string              `json:"weights,omitempty"` // that have replaced those of the workload
	Users     int                 `json:"users"`             // of each side
	Rate      float64             `json:"rate,omitempty"`
	Seed      uint64              `json:"seed"`
	Dataset   result.DatasetStamp `json:"dataset"`
	Machine   result.Machine      `json:"machine"`
	Detect    float64             `json:"detect"`
	Tolerance float64             `json:"tolerance"`

	Figures      []Row `json:"figures"`
	Transactions []Row `json:"transactions"` // their mean times, by name

	SliceSeconds    float64        `json:"sliceSeconds"`
	DiscardSeconds  float64        `json:"discardSeconds"`
	Repeated        map[string]int `json:"repeated"` // slices that others have spoilt, by reason
	Autocorrelation float64        `json:"autocorrelation"`
	Blocks          []Block        `json:"blocks"`
	Looks           []Look         `json:"looks"`
}

// SideResult describes a side.
type SideResult struct {
	Name       string            `json:"name"`
	Target     result.Target     `json:"target"`
	Durability string            `json:"durability"`
	Settings   map[string]string `json:"settings"`
	Counted    int               `json:"transactions"` // that count
	Failed     map[string]int    `json:"failed,omitempty"`
	Grown      int64             `json:"grown"`            // documents inserted and not deleted
	Idle       float64           `json:"idle,omitempty"`   // share of its own use while the other side was measured,
	IdleOf     string            `json:"idleOf,omitempty"` // of what
}

// Row compares a figure: medians of the slices of A and B, and the change from A to B.
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

// Block is a block of four slices: the first deciding figure on both sides, and its change.
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

// Spoilt returns the number of slices that were repeated.
func (r *Result) Spoilt() (n int) {
	for _, times := range r.Repeated {
		n += times
	}
	return n
}

// describe returns a result without figures.
func (c *comparison) describe() *Result {
	r := &Result{
		Format: Format, Version: c.Version, Commit: c.Commit, Verdict: Undecided, Started: c.began.UTC(),
		Within: c.Within.Seconds(), Workload: c.Definition.Name, SHA256: c.Definition.SHA256, Weights: c.Definition.Weights,
		Users: c.Users, Rate: c.Rate, Seed: c.Seed, Dataset: c.sides[0].about.Dataset, Machine: c.sides[0].about.Machine,
		Detect: c.Detect, Tolerance: c.Tolerance, DiscardSeconds: c.Discard.Seconds(), Repeated: make(map[string]int),
	}
	apart := 0
	for i, s := range c.sides {
		r.Sides[i] = SideResult{Name: s.name, Target: s.about.Target,
			Durability: s.about.Settings["durability"], Settings: s.about.Settings}
		if r.Sides[i].Durability == string(tpox.NotDurable) {
			r.Notes = append(r.Notes, fmt.Sprintf("%c is not durable: it may lose acknowledged writes when the power fails",
				'A'+i))
		}
		other := c.sides[1-i]
		if s.database != 0 && s.database != other.database || s.service != 0 && s.service != other.service {
			apart++
		}
	}
	if apart < len(c.sides) {
		r.Notes = append(r.Notes, "whether a side keeps working during the slices of the other could not be seen: "+
			"not both have processes of their own on this computer")
	}
	return r
}

// look computes the intervals and the answer. It returns true if the comparison is decided, or over.
func (c *comparison) look(last bool) bool {
	r, blocks := c.result, len(c.slices)/4
	r.Took, r.SliceSeconds = c.passed().Seconds(), c.length.Seconds()
	c.describeSides()
	if blocks < fewBlocks {
		r.Answer = "undecided: " + cmp.Or(r.Because, "too few slices were measured")
		return last
	}
	passed := r.Took / r.Within
	if last { // nothing is left to spend alpha on
		passed = 1
	}
	z := c.boundary.look(blocks, passed)
	r.Figures, r.Transactions, r.Blocks = nil, nil, nil
	deciding := c.deciding()
	mix := len(c.figures) - firstTransaction
	for i, f := range c.figures {
		logs := c.logs(i)
		if len(logs) < fewBlocks {
			continue
		}
		at := z
		if f.transaction {
			at = quantile(upperTail(z) / float64(mix)) // so many at once find one by chance
		}
		row := Row{Name: f.name, Unit: f.unit, Change: intervalOf(logs, at), Decides: f.decides, More: f.more}
		row.A, row.B = c.middle(i, 0), c.middle(i, 1)
		if f.transaction {
			r.Transactions = append(r.Transactions, row)
			continue
		}
		if i == deciding {
			r.Looks = append(r.Looks, Look{c.passed().Seconds(), row.Change})
		}
		r.Figures = append(r.Figures, row)
	}
	r.Autocorrelation = alike(c.logs(deciding))
	c.listBlocks(deciding)
	return c.answer(last)
}

// describeSides sets what is counted of each side, and why a result is INVALID.
func (c *comparison) describeSides() {
	r := c.result
	r.Reasons = nil
	for i := range r.Sides {
		side := &r.Sides[i]
		side.Counted, side.Failed, side.Grown = 0, nil, c.grown[i]
		failed := 0
		for _, s := range c.slices {
			if s.Side != i {
				continue
			}
			side.Counted += s.counted
			for reason, n := range s.failed {
				if side.Failed == nil {
					side.Failed = make(map[string]int)
				}
				side.Failed[reason] += n
				failed += n
			}
		}
		if share := float64(failed) / float64(max(side.Counted, 1)); share >= mostFailed {
			r.Reasons = append(r.Reasons, fmt.Sprintf(
				"%.2f %% of the answers of %c were unexpected (%s); below %.1f %% is allowed", 100*share, 'A'+i,
				strings.Join(slices.Sorted(maps.Keys(side.Failed)), ", "), 100*mostFailed))
		}
		side.Idle, side.IdleOf = c.carried[i].most()
	}
	documents := float64(r.Dataset.Orders + r.Dataset.Customers)
	apart := math.Abs(float64(c.grown[0]-c.grown[1])) / max(documents, 1)
	url := c.sides[0].about.Target.URL
	if shared := url != "" && url == c.sides[1].about.Target.URL; apart > mostApart && !shared {
		note := fmt.Sprintf("the data of the sides have grown apart by %.1f %%", 100*apart)
		r.Notes = append(slices.DeleteFunc(r.Notes, func(n string) bool {
			return strings.HasPrefix(n, "the data of the sides")
		}), note)
	}
}

const (
	// fewBlocks is the number of blocks below which a comparison that ends early has no figures.
	fewBlocks = 4
	// mostFailed is the share of unexpected answers from which a comparison is INVALID.
	mostFailed = 0.005
	// mostApart is the share of the documents by which the data of the sides may differ without a word.
	mostApart = 0.02
)

// middle returns the median of a figure over the slices of a side.
func (c *comparison) middle(figure, side int) float64 {
	var values []float64
	for _, s := range c.slices {
		if s.Side == side && !math.IsNaN(s.Values[figure]) {
			values = append(values, s.Values[figure])
		}
	}
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// listBlocks lists the blocks for the picture.
func (c *comparison) listBlocks(figure int) {
	for block := range slices.Chunk(c.slices, 4) {
		b := Block{At: block[0].At}
		for _, s := range block {
			if s.Side == 0 {
				b.A += s.Values[figure] / 2
			} else {
				b.B += s.Values[figure] / 2
			}
		}
		if d, ok := logRatio(block, figure); ok {
			b.Change = math.Expm1(d)
			c.result.Blocks = append(c.result.Blocks, b)
		}
	}
}

// answer sets the verdict and its sentence. It returns true if the comparison is decided, or over.
func (c *comparison) answer(last bool) bool {
	r := c.result
	var worst, best, open *Row
	for i := range r.Figures {
		row := &r.Figures[i]
		if !row.Decides {
			continue
		}
		switch judge(row, c.Tolerance, c.Detect, last) {
		case Slower:
			worst = cmp.Or(worst, row)
		case Faster:
			best = cmp.Or(best, row)
		case Undecided:
			open = cmp.Or(open, row)
		case Equal, Invalid:
		}
	}
	after := ", after " + r.Time()
	for i, side := range r.Sides {
		if side.Idle > mostCarried && r.Because == "" && last {
			r.Because = fmt.Sprintf("%c used %.0f %% of its %s while the other side was measured, even with slices of %s",
				'A'+i, 100*side.Idle, side.IdleOf, c.length)
		}
	}
	if blocks := len(c.slices) / 4; blocks < leastBlocks { // an interval of so few is too often wrong
		r.Because = cmp.Or(r.Because, fmt.Sprintf("%d blocks of slices were measured, and an answer takes %d", blocks,
			leastBlocks))
	}
	switch {
	case len(r.Reasons) > 0:
		r.Verdict, r.Answer = Invalid, "INVALID: "+strings.Join(r.Reasons, "; ")
		return last
	case r.Because != "":
		r.Verdict, r.Answer = Undecided, "undecided: "+r.Because
		return true
	case worst != nil:
		r.Verdict, r.Answer = Slower, sentence(worst)+after
		return true
	case open != nil:
		r.Verdict, r.Answer = Undecided, "undecided: "+c.undecided(open)
		return last
	case best != nil:
		r.Verdict, r.Answer = Faster, sentence(best)+after
		return true
	default:
		r.Verdict = Equal
		r.Answer = fmt.Sprintf("equal within %s (95 %%: %s)%s", percent(c.Tolerance), r.spans(), after)
		return true
	}
}

// judge returns the verdict on one figure: Equal when its interval is inside the tolerance, Slower or Faster when it is
// beyond it. An interval that crosses the tolerance decides only if it does not contain 0, its estimate is beyond the
// tolerance, and it is at most detect wide or last is set. Otherwise the verdict is Undecided.
func judge(row *Row, tolerance, detect float64, last bool) Verdict {
	i := row.Change
	if i.Low > -tolerance && i.High < tolerance {
		return Equal
	}
	beyond := i.Low >= tolerance || i.High <= -tolerance
	enough := row.Differs() && math.Abs(i.Estimate) > tolerance && (last || i.High-i.Low <= detect)
	switch {
	case !beyond && !enough:
		return Undecided
	case (i.Estimate > 0) == row.More:
		return Faster
	default:
		return Slower
	}
}

// undecided describes the interval of a row, and how long it would take to decide.
func (c *comparison) undecided(row *Row) string {
	i := row.Change
	distance := math.Abs(i.Estimate)
	needed := c.Tolerance - distance // to be inside the tolerance, or
	if distance > c.Tolerance {
		needed = max(distance-c.Tolerance, c.Detect/2) // beyond it
	}
	half := (i.High - i.Low) / 2
	more := c.result.Took * (math.Pow(half/max(needed, c.Detect/8), 2) - 1)
	text := i.String()
	if c.Rate > 0 { // two figures decide
		text = row.Name + " " + text
	}
	minutes := int64(math.Ceil(max(more, 1) / 60))
	switch {
	case minutes > 24*60:
		return text + "; days more would be needed to decide"
	case minutes > 120:
		return fmt.Sprintf("%s; about %s more would decide", text, format.Plural((minutes+59)/60, "hour"))
	}
	return fmt.Sprintf("%s; about %s more would decide", text, format.Plural(minutes, "minute"))
}

// sentence says how B differs in a figure.
func sentence(row *Row) string {
	i := row.Change
	low, high := math.Abs(i.Low), math.Abs(i.High)
	if low > high {
		low, high = high, low
	}
	if row.More {
		word := "faster"
		if i.Estimate < 0 {
			word = "slower"
		}
		return fmt.Sprintf("B is %s %s (95 %%: %s to %s)", percent(math.Abs(i.Estimate)), word, plain(low), percent(high))
	}
	word := "longer"
	if i.Estimate < 0 {
		word = "shorter"
	}
	return fmt.Sprintf("%s of B is %s %s (95 %%: %s to %s)", row.Name, percent(math.Abs(i.Estimate)), word, plain(low),
		percent(high))
}

// Time returns how long the comparison took, in words.
func (r *Result) Time() string {
	if seconds := int(r.Took + 0.5); seconds >= 60 {
		return fmt.Sprintf("%d min %d s", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%.0f s", r.Took)
}

// spans returns the intervals of the deciding figures.
func (r *Result) spans() string {
	var all []string
	for i := range r.Figures {
		if row := &r.Figures[i]; row.Decides {
			text := row.Change.String()
			if !row.More {
				text = row.Name + " " + text
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

// String returns the ends of the interval.
func (i Interval) String() string {
	return signed(i.Low) + " to " + signed(i.High) + " %"
}

func plain(share float64) string { return fmt.Sprintf("%.*f", digits(share), 100*share) }

func percent(share float64) string { return plain(share) + " %" }

func signed(share float64) string {
	if share > 9.99 {
		return "+999 and more"
	}
	return strings.ReplaceAll(fmt.Sprintf("%+.*f", digits(share), 100*share), "-", "−")
}

// digits returns the decimals of a percentage: none for large ones.
func digits(share float64) int {
	if share = math.Abs(share); share >= 0.1 || share == math.Trunc(100*share)/100 && share != 0 {
		return 0
	}
	return 1
}

// Write writes the result for a terminal: the answer, what was compared, the figures, and the transactions that differ.
func (r *Result) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.Answer)
	for i, side := range r.Sides {
		fmt.Fprintf(&b, "%c  %s", 'A'+i, side.Name)
		for _, name := range r.Differing() {
			if value := side.Settings[name]; value != "" {
				fmt.Fprintf(&b, "  %s=%s", name, value)
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n%-31s %12s %12s %11s   %s\n", "median of the slices", "A", "B", "B against A", "95 %")
	line := func(row *Row) {
		name := row.Name + ", " + row.Unit
		if row.Name == "throughput" {
			name = row.Name + row.Unit
		}
		name = strings.TrimSuffix(strings.TrimSuffix(name, " a transaction"), ",")
		fmt.Fprintf(&b, "%-31s %12s %12s %9s %%   %s\n", name, format.Figure(row.A), format.Figure(row.B),
			signed(row.Change.Estimate), row.Change.String())
	}
	for i := range r.Figures {
		line(&r.Figures[i])
	}
	head := false
	for i := range r.Transactions {
		if row := &r.Transactions[i]; row.Differs() {
			if !head {
				b.WriteString("transactions that differ:\n")
				head = true
			}
			line(row)
		}
	}
	if !head && len(r.Transactions) > 0 {
		b.WriteString("no single transaction differs\n")
	}
	fmt.Fprintf(&b, "\n%s\n", r.How())
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "%s\n", note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// How says what was measured.
func (r *Result) How() string {
	load := format.Plural(r.Users, "user")
	if r.Rate > 0 {
		load = format.Figure(r.Rate) + " transactions a second"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "workload %s on %s, %s: %s of four slices of %s s in random order",
		r.Workload, r.Dataset.Fingerprint, load, format.Plural(len(r.Blocks), "block"), format.Figure(r.SliceSeconds))
	for _, reason := range slices.Sorted(maps.Keys(r.Repeated)) {
		fmt.Fprintf(&text, "; %s repeated: %s", format.Plural(r.Repeated[reason], "slice"), reason)
	}
	return text.String()
}

// Differing returns the names of the settings of the stores that differ.
func (r *Result) Differing() (names []string) {
	for _, own := range r.Sides {
		for name, value := range own.Settings {
			if r.Sides[0].Settings[name] != value || r.Sides[1].Settings[name] != value {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
