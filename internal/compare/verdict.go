package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"brokerage/internal/format"
)

// mostFailed is the share of unexpected answers that makes a comparison INVALID.
const mostFailed = 0.005

// look computes the intervals and the answer. It returns true if the comparison is decided, or over.
func (c *comparison) look(last bool) bool {
	r := c.result
	r.Took, r.SliceSeconds, r.InBlock = c.passed().Seconds(), c.length.Seconds(), c.perBlock
	if len(c.logs(c.deciding)) < leastBlocks {
		return c.answer(last)
	}
	passed := r.Took / r.Within
	if last { // nothing is left to spend alpha on
		passed = 1
	}
	z := c.boundary.look(len(c.blocks), passed)
	r.Figures, r.Transactions, r.Blocks = nil, nil, nil
	for i, row := range c.figures {
		logs := c.logs(i)
		if len(logs) < leastBlocks {
			continue
		}
		row.A, row.B, row.Change = c.meanOfSide(i, 0), c.meanOfSide(i, 1), intervalOf(logs, z)
		if i >= firstTransaction { // among so many, one would differ by chance
			row.Change = intervalOf(logs, quantile(upperTail(z)/float64(len(c.figures)-firstTransaction)))
			r.Transactions = append(r.Transactions, row)
			continue
		}
		if i == c.deciding {
			r.Looks = append(r.Looks, Look{r.Took, row.Change})
		}
		r.Figures = append(r.Figures, row)
	}
	for _, block := range c.blocks {
		b := Block{At: block[0].at}
		for _, s := range block {
			value := s.values[c.deciding] / float64(len(block)/2)
			if s.side == 0 {
				b.A += value
			} else {
				b.B += value
			}
		}
		if log, ok := logRatio(block, c.deciding); ok {
			b.Change = math.Expm1(log)
			r.Blocks = append(r.Blocks, b)
		}
	}
	return c.answer(last)
}

// logs returns the log ratios of B to A of a figure, one for each block that has it.
func (c *comparison) logs(figure int) (logs []float64) {
	for _, block := range c.blocks {
		if log, ok := logRatio(block, figure); ok {
			logs = append(logs, log)
		}
	}
	return logs
}

// logRatio returns the log ratio of B to A of a figure, from its means over the slices of a block that have it; false
// if there is none. It takes the log of means, not the mean of logs: in some slices the disk may do next to nothing.
func logRatio(block []slice, figure int) (log float64, ok bool) {
	var sums, counts [2]float64
	for _, s := range block {
		if v := s.values[figure]; !math.IsNaN(v) {
			sums[s.side] += v
			counts[s.side]++
		}
	}
	log = math.Log(sums[1]/counts[1]) - math.Log(sums[0]/counts[0])
	return log, !math.IsNaN(log) && !math.IsInf(log, 0)
}

// meanOfSide returns the mean of a figure over the slices of a side that have it.
func (c *comparison) meanOfSide(figure, side int) float64 {
	var values []float64
	for _, s := range slices.Concat(c.blocks...) {
		if s.side == side && !math.IsNaN(s.values[figure]) {
			values = append(values, s.values[figure])
		}
	}
	mean, _ := meanOf(values)
	return mean
}

// answer sets the verdict and its sentence. It returns true if the comparison is decided, or over.
func (c *comparison) answer(last bool) bool {
	r := c.result
	for i, side := range r.Sides {
		failed := 0
		for _, n := range side.Failed {
			failed += n
		}
		if share := float64(failed) / float64(max(side.Counted, 1)); share >= mostFailed {
			r.Verdict, r.Answer = Invalid, fmt.Sprintf(
				"INVALID: %.2f %% of the answers of %c were unexpected (%s); below %.1f %% is allowed", 100*share, 'A'+i,
				strings.Join(slices.Sorted(maps.Keys(side.Failed)), ", "), 100*mostFailed)
			return last
		}
	}
	r.Verdict = Undecided
	switch carried := c.carried(); {
	case c.disturbed():
		r.Answer = "undecided: most slices were disturbed, by other programs or a stalled clock"
		return last
	case carried != "":
		r.Answer = fmt.Sprintf("undecided: %s, even with slices of %s", carried, c.length)
		return last
	case len(c.logs(c.deciding)) < leastBlocks: // an interval of so few is too often wrong
		r.Answer = "undecided: too few slices were measured"
		return last
	}
	rows := make(map[Verdict]*Row)
	var spans []string
	for i := range r.Figures {
		if row := &r.Figures[i]; row.Decides {
			rows[judge(row, c.Tolerance, c.Detect, last)] = row
			spans = append(spans, row.span())
		}
	}
	switch slower, undecided, faster := rows[Slower], rows[Undecided], rows[Faster]; {
	case slower != nil:
		r.Verdict, r.Answer = Slower, sentence(slower)
	case undecided != nil:
		r.Answer = "undecided: " + c.undecided(undecided)
		return last
	case faster != nil:
		r.Verdict, r.Answer = Faster, sentence(faster)
	default:
		r.Verdict = Equal
		r.Answer = fmt.Sprintf("equal within %.3g %% (95 %%: %s)", 100*c.Tolerance, strings.Join(spans, ", "))
	}
	after := format.Duration(c.passed())
	if seconds := int(c.passed().Seconds()); seconds >= 60 {
		after = fmt.Sprintf("%d min %d s", seconds/60, seconds%60)
	}
	r.Answer += ", after " + after
	return true
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

// undecided returns the interval of a row, and how long it would take to decide if that can be said.
func (c *comparison) undecided(row *Row) string {
	i := row.Change
	if !i.Known() {
		return row.span()
	}
	distance := math.Abs(i.Estimate)
	needed := c.Tolerance - distance // to be inside the tolerance, or
	if distance > c.Tolerance {
		needed = max(distance-c.Tolerance, c.Detect/2) // beyond it
	}
	half := (i.High - i.Low) / 2
	more := c.result.Took * (math.Pow(half/max(needed, c.Detect/8), 2) - 1)
	return fmt.Sprintf("%s; about %s more would decide", row.span(),
		format.Plural(int64(math.Ceil(max(more, 1)/60)), "minute"))
}

// span returns the interval of a row; with its name if it is a latency, since two of them decide.
func (r *Row) span() string {
	if r.More {
		return r.Change.String()
	}
	return r.Name + " " + r.Change.String()
}

// sentence returns how B differs from A in a figure.
func sentence(row *Row) string {
	i, what, word := row.Change, "B", "slower"
	switch up := i.Estimate > 0; {
	case row.More && up:
		word = "faster"
	case !row.More && up:
		what, word = row.Name+" of B", "longer"
	case !row.More:
		what, word = row.Name+" of B", "shorter"
	}
	low, high := math.Abs(i.Low), math.Abs(i.High)
	return fmt.Sprintf("%s is %s %% %s (95 %%: %s to %s %%)", what, percent(i.Estimate), word, percent(min(low, high)),
		percent(max(low, high)))
}
