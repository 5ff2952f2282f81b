package compare

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"brokerage/internal/drive"
	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// Config is how two sides are compared.
type Config struct {
	Definition *workload.Definition
	Users      int     // of each side
	Rate       float64 // arrivals a second; 0 selects the closed model
	Seed       uint64
	Token      string      // for services
	TLS        *tls.Config // of https services; nil is the default one

	Detect    float64       // the difference to find: an interval of this width decides
	Tolerance float64       // smaller differences are none
	Within    time.Duration // the longest time
	Before    [2]string     // commands that run before each slice of a side; "" for none

	Slice   time.Duration // counted time of a slice at first; 0 is DefaultSlice
	Discard time.Duration // beginning of a slice that is not counted; 0 is DefaultDiscard
	Others  float64       // share of the machine above which others spoil a slice; 0 is DefaultOthers
	Answers time.Duration // how long the answers of a slice may take after its end; 0 is DefaultAnswers

	Version, Commit string
	Progress        func(state string) // called after each block; may be nil
}

// The defaults, which the study in decision record 0039 has chosen.
const (
	DefaultSlice   = time.Second
	DefaultDiscard = 200 * time.Millisecond
	DefaultOthers  = result.MostOthers
	DefaultAnswers = 20 * time.Second
)

const (
	// leastBlocks is the number of blocks before the first look.
	leastBlocks = 10
	// lookAgain is the growth of the number of blocks from one look to the next.
	lookAgain = 1.25
	// mostCarried is the share of its own use of processors and disks that a side may use while the other is measured.
	mostCarried = 0.03
	// mostLong is the longest slice as a share of Config.Within.
	mostLong = 1.0 / 60
	// mostAlike is the correlation of neighbouring blocks above which slices are too short.
	mostAlike = 0.4
	// warmUp is how long each side works before the first block, of the whole time at most.
	warmUp     = 3 * time.Second
	mostWarmUp = 1.0 / 20
)

// comparison is the state of a running comparison.
type comparison struct {
	*Config

	sides   [2]*side
	figures []figure
	began   time.Time
	rand    *rand.Rand
	result  *Result
	now     func() time.Time
	run     func(ctx context.Context, at int, length time.Duration) (Slice, error)

	length   time.Duration // counted time of each slice
	seed     uint64        // of the next pair of slices
	slices   []Slice       // that count, four to a block
	tried    int           // slices that were run, repeated ones too
	boundary spending
	carried  [2]carried
	grown    [2]int64 // documents inserted and not deleted
}

// ErrDifferent is the error of two sides that hold different datasets.
var ErrDifferent = errors.New("the sides hold different datasets")

// Run compares two sides, and returns the result so far with an error when the comparison ended early, or an error
// alone when it did not begin. What it has started has ended then.
func Run(ctx context.Context, c Config, a, b string) (result *Result, err error) {
	if err := CheckSides(a, b); err != nil {
		return nil, err
	}
	run := newComparison(&c)
	defer func() {
		for _, s := range run.sides {
			if s != nil {
				err = errors.Join(err, s.close())
			}
		}
	}()
	for i, text := range []string{a, b} {
		run.sides[i], err = c.open(ctx, text, run.sides[0])
		if err != nil {
			return nil, fmt.Errorf("%c, %s: %w", 'A'+i, run.sides[i].name, err)
		}
	}
	if one, two := run.sides[0].about.Dataset, run.sides[1].about.Dataset; one != two {
		return nil, fmt.Errorf("%w: A holds %s with %d customers and %d orders, B %s with %d and %d", ErrDifferent,
			one.Fingerprint, one.Customers, one.Orders, two.Fingerprint, two.Customers, two.Orders)
	}
	run.figures = figuresOf(c.Rate > 0, run.sides[0].crew.Mix())
	return run.measure(ctx)
}

// newComparison returns a comparison of real slices, without its sides.
func newComparison(config *Config) *comparison {
	c := &comparison{
		Config: config, rand: rand.New(rand.NewPCG(config.Seed, 33)), seed: config.Seed, //nolint:gosec // no secret
		now: time.Now,
	}
	c.run = c.slice
	c.length = cmp.Or(c.Slice, DefaultSlice)
	c.Discard, c.Others = cmp.Or(c.Discard, DefaultDiscard), cmp.Or(c.Others, DefaultOthers)
	c.Answers = cmp.Or(c.Answers, DefaultAnswers)
	return c
}

// passed returns how long the comparison has taken so far.
func (c *comparison) passed() time.Duration { return c.now().Sub(c.began) }

// measure warms both sides up and measures blocks until an interval decides or the time is over.
func (c *comparison) measure(ctx context.Context) (*Result, error) {
	c.began = c.now()
	c.result = c.describe()
	deciding := 0
	for _, f := range c.figures {
		if f.decides {
			deciding++
		}
	}
	c.boundary.alpha = alpha / float64(deciding)
	for i := range c.sides {
		if _, err := c.run(ctx, i, min(warmUp, time.Duration(mostWarmUp*float64(c.Within)))); err != nil {
			return nil, err
		}
	}
	c.carried = [2]carried{}
	next := leastBlocks
	for {
		err := c.block(ctx)
		if err != nil {
			c.look(true)
			return c.result, err
		}
		blocks, last := len(c.slices)/4, !c.timeForBlock()
		if drive.TooDisturbed(c.result.Spoilt(), c.tried) {
			c.result.Verdict = Undecided
			c.result.Because = "this machine cannot decide: others disturbed most slices"
			last = true
		}
		if blocks >= next || last {
			if c.lengthen(blocks) && !last {
				next = leastBlocks
				continue
			}
			next = max(int(lookAgain*float64(blocks)), blocks+1)
			if c.look(last) {
				return c.result, nil
			}
		}
		if c.Progress != nil {
			c.Progress(c.progress())
		}
	}
}

// block measures four slices in the order ABBA or BAAB. Slices that others spoil are repeated. It leaves a block out
// that the end of the time cuts off.
func (c *comparison) block(ctx context.Context) error {
	first := c.rand.IntN(2)
	var block [4]Slice
	for i, at := range []int{first, 1 - first, 1 - first, first} {
		for {
			if c.passed() > c.Within {
				return nil
			}
			if command := c.Before[at]; command != "" {
				if err := hook(ctx, command, hookWithin); err != nil {
					return err
				}
			}
			s, err := c.run(ctx, at, c.length)
			if err != nil {
				return err
			}
			c.tried++
			if s.Spoilt == "" {
				block[i] = s
				break
			}
			c.result.Repeated[s.Spoilt]++
			if drive.TooDisturbed(c.result.Spoilt(), c.tried) {
				return nil
			}
		}
		c.seed += uint64(i % 2) // both slices of a pair draw the same
	}
	c.slices = append(c.slices, block[:]...)
	return nil
}

// timeForBlock reports whether another block fits into the time.
func (c *comparison) timeForBlock() bool {
	each := max(c.passed()/time.Duration(max(c.tried/4, 1)), 4*(c.Discard+c.length))
	return c.passed()+each <= c.Within
}

// lengthen doubles the slices if one side leaves work behind for the other's, or if neighbouring blocks are alike, and
// begins again. It returns false if the slices are long enough, or as long as they may be.
func (c *comparison) lengthen(blocks int) bool {
	reason := ""
	for i := range c.carried {
		if share, of := c.carried[i].most(); share > mostCarried {
			reason = fmt.Sprintf("%c used %.0f %% of its %s while the other side was measured", 'A'+i, 100*share, of)
		}
	}
	if r := alike(c.logs(c.deciding())); reason == "" && blocks >= 12 && r > mostAlike {
		reason = fmt.Sprintf("neighbouring blocks were alike (correlation %.2f)", r)
	}
	if reason == "" || 2*c.length > time.Duration(mostLong*float64(c.Within)) {
		return false
	}
	c.length *= 2
	c.result.Notes = append(c.result.Notes, fmt.Sprintf("slices of %s from %s on: %s", c.length,
		c.passed().Round(time.Second), reason))
	c.carried = [2]carried{}
	c.slices = nil
	c.boundary.restart()
	return true
}

// deciding returns the index of the first figure that decides.
func (c *comparison) deciding() int {
	return slices.IndexFunc(c.figures, func(f figure) bool { return f.decides })
}

// logs returns the log ratios of B to A of a figure, one for each block that has it.
func (c *comparison) logs(figure int) (logs []float64) {
	for block := range slices.Chunk(c.slices, 4) {
		if d, ok := logRatio(block, figure); ok {
			logs = append(logs, d)
		}
	}
	return logs
}

// progress returns the state in one line, with the first deciding figure at the last look.
func (c *comparison) progress() string {
	text := fmt.Sprintf("%s of at most %s  %s", format.Duration(c.passed()), format.Duration(c.Within),
		format.Plural(len(c.slices)/4, "block"))
	if n := len(c.result.Looks); n > 0 {
		text += "  B against A " + c.result.Looks[n-1].Interval.String()
	}
	if n := c.result.Spoilt(); n > 0 {
		text += fmt.Sprintf("  %s repeated", format.Plural(n, "slice"))
	}
	return text
}
