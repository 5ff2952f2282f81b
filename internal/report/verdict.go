package report

import (
	"fmt"
	"slices"
	"strings"

	"brokerage/internal/format"
)

// The figures of a workload that a verdict is made of: how much work was done, and how long the slowest hundredth of it
// took. They hold for users who wait and for arrivals at a given rate alike; throughput counts refusals too, and a
// given rate decides it.
const (
	headGoodput = "goodput, a second"
	headP99     = "p99, ms"
)

// conclusion is what a comparison comes to, in a word and the reasons for it.
type conclusion struct{ Word, Text string }

const (
	isBetter  = "better"
	isWorse   = "worse"
	isMixed   = "better and worse"
	isSame    = "no difference beyond noise"
	isUnknown = "unknown"
)

// conclude draws the verdict on B from goodput and 99th percentile of each workload that both sides measured, by the
// rule for noise. Figures of INVALID runs prove nothing and are left out.
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

// needed says what it takes to conclude anything.
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
