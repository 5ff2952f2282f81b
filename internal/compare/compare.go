package compare

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"brokerage/internal/format"
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

	Detect    float64       // the difference to find: the width at which an interval may decide; see judge
	Tolerance float64       // a smaller difference counts as equal
	Others    float64       // share of the machine above which others disturb a slice
	Within    time.Duration // the longest time
	Before    [2]string     // commands that run before each slice of a side; "" for none

	Version, Commit string
	Progress        func(state string) // called after each block; may be nil
}

const (
	// The counted time of a slice: quick at first; slow in the open model (because its figures are latencies), with
	// commands before slices, or if a side does less than fastEnough transactions a second. Blocks take equally long.
	quick, quickPerBlock = 250 * time.Millisecond, 16
	slow, slowPerBlock   = time.Second, 4
	fastEnough           = 400
	// discarded is the time at the beginning of a slice that does not count, as a share of the time that does.
	discarded = 0.2
	// leastBlocks is the number of blocks before the first look.
	leastBlocks = 10
	// lookAgain is the factor by which the number of blocks grows from one look to the next.
	lookAgain = 1.25
	// mostCarried is a side's largest use of processors or disks in the other's slices, as a share of that in its own.
	mostCarried = 0.03
	// mostLong is the longest counted time of a lengthened block, as a share of Config.Within.
	mostLong = 1.0 / 15
	// mostAlike is the correlation of neighbouring blocks above which slices are too short, if there are at least
	// leastToCorrelate blocks.
	mostAlike        = 0.4
	leastToCorrelate = 24
	// Each side works for longestWarmUp before the first block, but at most for the share mostWarmUp of Config.Within.
	longestWarmUp = 3 * time.Second
	mostWarmUp    = 1.0 / 20
	// After mostPatience and leastSlices, a comparison ends if more than half of its slices were disturbed.
	mostPatience = 40 * time.Second
	leastSlices  = 24
	// mostApart is how far the sides' data may differ, as a share of the documents, before a note says so.
	mostApart = 0.02
)

// ErrSides is the error of sides that cannot be compared: one argument names no side, or the datasets differ.
var ErrSides = errors.New("the sides cannot be compared")

// comparison is the state of a running comparison.
type comparison struct {
	*Config

	sides    [2]*side
	figures  []Row
	deciding int // the first figure that decides
	began    time.Time
	rand     *rand.Rand
	result   *Result
	now      func() time.Time
	take     func(ctx context.Context, at int, length time.Duration) (slice, error)

	warmUp   time.Duration
	length   time.Duration // counted time of each slice
	discard  time.Duration // beginning of a slice that is not counted
	perBlock int           // slices in a block, a multiple of four
	answers  time.Duration // how long the answers of a slice may take after its end
	seed     uint64        // of the next pair of slices
	blocks   [][]slice     // perBlock each, in the order in which they were taken
	tried    int           // slices that were run, repeated ones too
	boundary spending
	own      [2]used // by each side, in its own slices that count
	idle     [2]used // by each side, in the other's slices that count
}

// Run compares two sides. If the comparison ends early, it returns the result so far and the error; if no block was
// begun, only the error. Everything that it started has ended by then.
func Run(ctx context.Context, c Config, a, b string) (*Result, error) {
	return newComparison(&c).run(ctx, a, b)
}

func newComparison(config *Config) *comparison {
	c := &comparison{
		Config: config, rand: rand.New(rand.NewPCG(config.Seed, 33)), seed: config.Seed, //nolint:gosec // no secret
		now: time.Now, answers: 20 * time.Second,
		warmUp: min(longestWarmUp, time.Duration(mostWarmUp*float64(config.Within))),
	}
	c.slices(quick, quickPerBlock)
	if config.Rate > 0 || config.Before != [2]string{} {
		c.slices(slow, slowPerBlock)
	}
	c.take = c.takeSlice
	return c
}

func (c *comparison) run(ctx context.Context, a, b string) (r *Result, err error) {
	for i, text := range []string{a, b} {
		if c.sides[i], err = newSide(text); err != nil {
			return nil, fmt.Errorf("%w: %c: %w", ErrSides, 'A'+i, err)
		}
	}
	defer func() {
		for _, s := range slices.Backward(c.sides[:]) { // B may share the database of A
			err = errors.Join(err, s.close())
		}
	}()
	for i, s := range c.sides {
		if err := s.open(ctx, c.Config, c.sides[0]); err != nil {
			return nil, fmt.Errorf("%c, %s: %w", 'A'+i, s.name, err)
		}
	}
	if one, two := c.sides[0].about.Dataset, c.sides[1].about.Dataset; one != two {
		return nil, fmt.Errorf("%w: A holds %s with %d customers and %d orders, B %s with %d and %d", ErrSides,
			one.Fingerprint, one.Customers, one.Orders, two.Fingerprint, two.Customers, two.Orders)
	}
	c.figures = figuresOf(c.Rate > 0, c.sides[0].crew.Mix())
	return c.measure(ctx)
}

// passed returns how long the comparison has taken so far.
func (c *comparison) passed() time.Duration { return c.now().Sub(c.began) }

// measure warms both sides up and measures blocks until an interval decides or the time is over.
func (c *comparison) measure(ctx context.Context) (*Result, error) {
	c.began = c.now()
	c.result = c.describe()
	c.boundary.alpha = alpha
	if c.Rate > 0 { // two figures decide
		c.deciding, c.boundary.alpha = median, alpha/2
	}
	for i := range c.sides {
		s, err := c.take(ctx, i, c.warmUp)
		if err != nil {
			return nil, err
		}
		if s.values[throughput] < fastEnough {
			c.slices(slow, slowPerBlock)
		}
	}
	c.own, c.idle = [2]used{}, [2]used{}
	var err error
	next := leastBlocks
	for decided := false; !decided && err == nil; {
		err = c.block(ctx)
		last := err != nil || c.disturbed() || !c.timeForBlock()
		switch blocks := len(c.blocks); {
		case blocks < next && !last:
		case !last && c.lengthen():
			next = leastBlocks
		default:
			decided = c.look(last)
			next = max(int(lookAgain*float64(blocks)), blocks+1)
		}
		if c.Progress != nil {
			c.Progress(c.progress())
		}
	}
	grown := [2]int64{c.result.Sides[0].Grown, c.result.Sides[1].Grown}
	least := c.result.Dataset.Orders + c.result.Dataset.Customers + min(grown[0], grown[1])
	apart := math.Abs(float64(grown[0]-grown[1])) / float64(max(least, 1))
	if shared := c.sides[0].url == c.sides[1].url; apart > mostApart && !shared {
		c.result.note("the data of the sides have grown apart by %.1f %%", 100*apart)
	}
	return c.result, err
}

// slices sets what blocks consist of.
func (c *comparison) slices(length time.Duration, perBlock int) {
	c.length, c.discard, c.perBlock = length, time.Duration(discarded*float64(length)), perBlock
}

// block measures slices, each four in the order ABBA or BAAB, and repeats disturbed ones. A block that is not complete
// when the time is over is left out.
func (c *comparison) block(ctx context.Context) error {
	var block []slice
	for first := 0; len(block) < c.perBlock; {
		at := first
		switch len(block) % 4 {
		case 0:
			first = c.rand.IntN(2)
			at = first
		case 1, 2:
			at = 1 - first
		}
		if c.passed() > c.Within || c.disturbed() {
			return nil
		}
		if command := c.Before[at]; command != "" {
			if err := hook(ctx, command); err != nil {
				return err
			}
		}
		s, err := c.take(ctx, at, c.length)
		if err != nil {
			return err
		}
		c.tried++
		if s.disturbed != "" {
			c.result.Repeated[s.disturbed]++
			continue
		}
		if block = append(block, s); len(block)%2 == 0 {
			c.seed++ // both slices of a pair draw the same
		}
	}
	c.blocks = append(c.blocks, block)
	for _, s := range block {
		side := &c.result.Sides[s.side]
		side.Counted += s.counted
		for reason, n := range s.failed {
			side.Failed[reason] += n
		}
	}
	return nil
}

// disturbed reports whether so many slices were disturbed that nothing can be decided.
func (c *comparison) disturbed() bool {
	return c.passed() >= mostPatience && c.tried >= leastSlices && 2*c.result.Disturbed() > c.tried
}

// timeForBlock reports whether another block fits into the time.
func (c *comparison) timeForBlock() bool {
	each := max(c.passed()/time.Duration(max(c.tried/c.perBlock, 1)), time.Duration(c.perBlock)*(c.discard+c.length))
	return c.passed()+each <= c.Within
}

// lengthen doubles the length of slices and begins again if a side still works in the other's slices, or neighbouring
// blocks are alike. It returns false if the slices are long enough, or as long as they may be.
func (c *comparison) lengthen() bool {
	reason, perBlock := c.carried(), c.perBlock
	logs := c.logs(c.deciding)
	switch {
	case reason != "": // longer blocks would not help
		perBlock = max(perBlock/2, 4)
	case len(logs) >= leastToCorrelate && alike(logs) > mostAlike:
		reason = fmt.Sprintf("neighbouring blocks were alike (correlation %.2f)", alike(logs))
	default:
		return false
	}
	if time.Duration(perBlock)*2*c.length > time.Duration(mostLong*float64(c.Within)) {
		return false
	}
	c.slices(2*c.length, perBlock)
	c.result.note("slices lengthened to %s after %s: %s", c.length, format.Duration(c.passed()), reason)
	c.own, c.idle, c.blocks = [2]used{}, [2]used{}, nil
	r := c.result // from which the slices so far are removed
	r.Figures, r.Transactions, r.Blocks = nil, nil, nil
	for i := range r.Sides {
		r.Sides[i].Counted = 0
		clear(r.Sides[i].Failed)
	}
	c.boundary.restart()
	return true
}

// carried returns which side works too much while the other is measured; "" if none does.
func (c *comparison) carried() string {
	for i, own := range c.own {
		idle := c.idle[i]
		for _, use := range []struct {
			form      string
			idle, own float64
		}{{"used %.0f %% as much processor time", idle.processor, own.processor},
			{"wrote %.0f %% as much to disk", idle.written, own.written}} {
			if use.own > 0 && use.idle > mostCarried*use.own {
				return fmt.Sprintf("%c "+use.form+" in the slices of the other side as in its own", 'A'+i, 100*use.idle/use.own)
			}
		}
	}
	return ""
}

// progress returns the state in one line, with the first deciding figure at the last look.
func (c *comparison) progress() string {
	text := fmt.Sprintf("%s of at most %s  %s", format.Duration(c.passed()), format.Duration(c.Within),
		format.Plural(len(c.blocks), "block"))
	if n := len(c.result.Looks); n > 0 {
		text += "  B against A " + c.result.Looks[n-1].Interval.String()
	}
	return text
}
