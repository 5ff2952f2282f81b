package dataset

import (
	"strconv"
	"strings"
)

// codes is a list of values with weights, stored so that eight random bits select one.
type codes struct {
	values []string
	slot   [256]uint8
}

// newCodes reads a list such as "1:45 2:42 5" of values and their weights; without a weight it is 1. Values have no
// colons or blanks.
func newCodes(list string) *codes {
	values := strings.Fields(list)
	weights := make([]int, len(values))
	for i, field := range values {
		value, weight, found := strings.Cut(field, ":")
		values[i], weights[i] = value, 1
		if found {
			weights[i] = must(strconv.Atoi(weight))
		}
	}
	c := newWeights(weights...)
	c.values = values
	return c
}

// newWeights returns a list without values, for its indexes. Every index has the slots between the rounded cumulative
// weights, and at least one.
func newWeights(weights ...int) *codes {
	c, total := &codes{}, 0
	for _, n := range weights {
		total += n
	}
	at, sum := 0, 0
	for i, n := range weights {
		sum += n
		for upTo := max(at+1, sum*len(c.slot)/total); at < upTo && at < len(c.slot); at++ {
			c.slot[at] = uint8(i)
		}
	}
	return c
}

// index draws an index of a list.
func (r *rng) index(c *codes) int { return int(c.slot[r.next()>>56]) }

// pick draws a value of a list.
func (r *rng) pick(c *codes) string { return c.values[r.index(c)] }

// one draws an element of a list without weights.
func one[T any](r *rng, list []T) T { return list[r.below(len(list))] }
