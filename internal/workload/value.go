package workload

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Range is a range of whole numbers to draw from, both ends included.
type Range [2]int64

// check refuses a range that is empty.
func (r Range) check(of string) error {
	if r[0] > r[1] {
		return fmt.Errorf("%s: [%d, %d] is not a range", of, r[0], r[1])
	}
	return nil
}

// maxSize is the largest number of values in the Range of a Value.
const maxSize = 1_000_000_000_000_000

// Value is the source of a marker's values in own transactions: one of Range, List, File and IDs. The distribution
// is over the positions in that source.
type Value struct {
	Draw

	Range *Range   `json:"range"`
	As    string   `json:"as"` // "date" turns a number n into the date n days before the run
	List  []string `json:"list"`
	File  string   `json:"file"` // a list, one entry a line; relative to the workload file
	IDs   string   `json:"ids"`  // order, customer, account or security
}

// complete checks the range of a value, and reads its file.
func (v *Value) complete(read func(file string) ([]byte, error)) error {
	switch r := v.Range; {
	case r != nil && (r[0] > r[1] || r[1]-r[0] < 0 || r[1]-r[0] >= maxSize): // below 0 if it overflows
		return fmt.Errorf("[%d, %d] is not a range of at most 10^15 numbers", r[0], r[1])
	case v.File == "":
		return nil
	}
	text, err := read(v.File)
	v.List = strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' })
	if err == nil && len(v.List) == 0 {
		return errors.New("its file is empty")
	}
	return err
}

// drawer returns a function that draws a value for a user, as a statement gets it.
func (v *Value) drawer(u *User) func() any {
	p := u.population
	switch {
	case v.IDs == "order":
		pick := v.picker(u.rand, p.Orders.Count)
		return func() any { return int64(p.order(pick())) }
	case v.IDs == "customer":
		pick := v.picker(u.rand, p.Customers.Count)
		return func() any { return int64(p.customer(pick())) }
	case v.IDs == "account":
		pick := v.picker(u.rand, p.Customers.Count)
		return func() any { return int64(u.accountOf(pick())) }
	case v.IDs == "security":
		pick := v.picker(u.rand, p.Securities.Count)
		return func() any { return p.Symbols[pick()] }
	case v.Range == nil:
		pick := v.ranks(u.rand, int64(len(v.List)))
		return func() any { return v.List[pick()] }
	case v.As == "":
		pick := v.ranks(u.rand, v.Range[1]-v.Range[0]+1)
		return func() any { return v.Range[0] + pick() }
	default:
		pick := v.ranks(u.rand, v.Range[1]-v.Range[0]+1)
		return func() any {
			return u.begun.AddDate(0, 0, -int(v.Range[0]+pick())).Format(time.DateOnly)
		}
	}
}
