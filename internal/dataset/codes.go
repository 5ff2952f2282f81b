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
	fields := strings.Fields(list)
	weights := make([]int, len(fields))
	for i, f := range fields {
		value, weight, found := strings.Cut(f, ":")
		fields[i], weights[i] = value, 1
		if found {
			n, err := strconv.Atoi(weight)
			if err != nil {
				panic("dataset: weight in " + list)
			}
			weights[i] = n
		}
	}
	return &codes{values: fields, slot: newSlots(weights)}
}

// newWeights returns a list without values, for its indexes.
func newWeights(weights ...int) *codes { return &codes{slot: newSlots(weights)} }

// newSlots gives every index the slots between the rounded cumulative weights, and at least one.
func newSlots(weights []int) (slot [256]uint8) {
	total := 0
	for _, n := range weights {
		total += n
	}
	at, sum := 0, 0
	for i, n := range weights {
		sum += n
		for upTo := max(at+1, sum*len(slot)/total); at < upTo && at < len(slot); at++ {
			slot[at] = uint8(i)
		}
	}
	return slot
}

// pick draws a value.
func (c *codes) pick(r *rng) string { return c.values[c.index(r)] }

// index draws an index.
func (c *codes) index(r *rng) int { return int(c.slot[r.next()>>56]) }
