package report

import (
	"fmt"
	"slices"
	"strings"

	"brokerage/internal/format"
)

// The figures of a workload from which the verdict is drawn: goodput and the 99th percentile. They apply to closed and
// open models; throughput does not, since it counts refusals, and an open model sets it.
const (
	headGoodput = "goodput, a second"
	headP99     = "p99, ms"
)

// conclusion is the verdict of a comparison in a word, with its reasons.
type conclusion struct{ Word, Text string }

const (
	isBetter  = "better"
	isWorse   = "worse"
	isMixed   = "better and worse"
	isSame    = "no difference beyond noise"
	isUnknown = "unknown"
)

// conclude returns the verdict on B, from goodput and 99th percentile of each workload that both sides measured.
// Figures of INVALID runs are left out.
func (c *Comparison) conclude() conclusion {
	var heads []compared
	left := 0
	for _, f := range c.figures {
		switch {
		case f.Head && f.Valid:
			heads = append(heads, f)
		case f.Head:
			left++
		}
	}
	better, worse, known := 0, 0, 0
	var reasons []string
	for _, f := range heads {
		outcome := f.outcome()
		if judge(f.A, f.B) != unknown {
			known++
		}
		better += count(strings.HasPrefix(outcome, "better"))
		worse += count(strings.HasPrefix(outcome, "worse"))
		name, _, _ := strings.Cut(f.Name, ",")
		reasons = append(reasons, fmt.Sprintf("%s × %s, %s", name, format.Fixed(f.ratio(), 3), outcome))
	}
	text := strings.Join(reasons, "; ")
	if len(heads) > 2 {
		text = fmt.Sprintf("of %d figures (goodput and p99 of each workload) %d are better, %d worse, %d within noise, and "+
			"of %d the noise is unknown",
			len(heads), better, worse, known-better-worse, len(heads)-known)
	}
	if left > 0 {
		text = joined("; ", text, format.Plural(left, "figure")+" of INVALID runs left out")
	}
	switch {
	case len(heads) == 0 && left > 0:
		return conclusion{isUnknown, "a side has INVALID runs, whose figures prove nothing"}
	case len(heads) == 0:
		return conclusion{isUnknown, "no workload was measured on both sides"}
	case known == 0:
		return conclusion{isUnknown, c.needed(heads)}
	case better > 0 && worse > 0:
		return conclusion{isMixed, text}
	case better > 0:
		return conclusion{isBetter, text}
	case worse > 0:
		return conclusion{isWorse, text}
	default:
		return conclusion{isSame, text}
	}
}

// needed says how many repeats a conclusion takes.
func (c *Comparison) needed(heads []compared) string {
	repeats := func(of func(compared) int) int {
		return of(slices.MaxFunc(heads, func(a, b compared) int { return of(a) - of(b) }))
	}
	text := fmt.Sprintf("too few runs: how far runs scatter is known from %d on each side, and A has %d, B %d. ",
		enoughRepeats,
		repeats(func(f compared) int { return len(f.A) }), repeats(func(f compared) int { return len(f.B) }))
	if c.a.Campaign != nil {
		return text + fmt.Sprintf("Run both campaigns with --repeat %d", enoughRepeats)
	}
	return text + fmt.Sprintf("Measure both %d times or more (brokerage drive --repeat %[1]d --json FILE), and compare "+
		"the groups: "+
		"brokerage report A-1.json A-2.json A-3.json -- B-1.json B-2.json B-3.json", enoughRepeats)
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
