package workload

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Value is where a marker of one's own transactions has its values from: a range of numbers, a list, a list in a file,
// or the ids of the dataset. The distribution is over the positions in it; Uniform by default.
type Value struct {
	Draw

	Range *Range   `json:"range"` // both ends included
	As    string   `json:"as"`    // asDate makes a number to the date so many days before the run
	List  []string `json:"list"`
	File  string   `json:"file"` // a list, one entry a line; relative to the workload file
	IDs   string   `json:"ids"`  // one of keysOf

	index int // in Definition.values
}

const (
	asDate  = "date"
	maxSize = 1_000_000_000_000_000 // of a range: so that its positions can be scattered without overflow
)

// keysOf are the kinds of keys of the dataset.
var keysOf = []string{"order", "customer", "account", "security"}

// complete reads the file of a value and sets its defaults. It returns an error that says what is wrong with it.
func (v *Value) complete(read func(file string) ([]byte, error)) error {
	sources := 0
	for _, has := range []bool{v.Range != nil, v.List != nil, v.File != "", v.IDs != ""} {
		if has {
			sources++
		}
	}
	if sources != 1 {
		return errors.New("it needs exactly one of range, list, file and ids")
	}
	if v.File != "" {
		text, err := read(v.File)
		if err != nil {
			return err
		}
		v.List = strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' })
	}
	if v.Distribution == "" && v.Draw == (Draw{}) {
		v.Distribution = Uniform
	}
	numbers := int64(0)
	if v.Range != nil {
		numbers = v.Range[1] - v.Range[0] // below 0 if it overflows
	}
	switch {
	case v.Range != nil && (v.Range[0] > v.Range[1] || numbers < 0 || numbers >= maxSize):
		return fmt.Errorf("range: [%d, %d] is not a range of at most 10^15 numbers", v.Range[0], v.Range[1])
	case v.Range == nil && v.IDs == "" && len(v.List) == 0:
		return errors.New("the list is empty")
	case v.IDs != "" && !slices.Contains(keysOf, v.IDs):
		return fmt.Errorf("ids: the dataset has no ids of %q: it is one of %s", v.IDs, strings.Join(keysOf, ", "))
	case v.Range == nil && v.As != "":
		return errors.New(`"as" is only allowed with "range"`)
	case v.As != "" && v.As != asDate:
		return fmt.Errorf("as: %q is not date", v.As)
	}
	return v.check("distribution")
}

// size returns how many positions the value has.
func (v *Value) size(p *Population) int64 {
	switch v.IDs {
	case "order":
		return p.Orders.Count
	case "customer", "account":
		return p.Customers.Count
	case "security":
		return p.Securities.Count
	}
	if v.Range != nil {
		return v.Range[1] - v.Range[0] + 1
	}
	return int64(len(v.List))
}

// isNumber reports whether the values are whole numbers, as which a database gets them.
func (v *Value) isNumber() bool {
	return v.Range != nil && v.As == "" || v.IDs != "" && v.IDs != "security"
}

// drawer returns a function that appends a value for a user.
func (v *Value) drawer(u *User) func(dst []byte) []byte {
	size := v.size(u.population)
	pick := v.ranks(u.rand, size)
	if v.IDs != "" {
		pick = v.picker(u.rand, size)
	}
	return func(dst []byte) []byte { return v.append(dst, u, pick()) }
}

// append appends the value at a position.
func (v *Value) append(dst []byte, u *User, i int64) []byte {
	switch v.IDs {
	case "order":
		return appendID(dst, u.population.order(i))
	case "customer":
		return appendID(dst, u.population.customer(i))
	case "account":
		first, n := u.population.accounts(i)
		return strconv.AppendInt(dst, first+u.rand.Int64N(n), 10)
	case "security":
		return append(dst, u.population.Symbols[i]...)
	}
	if v.Range == nil {
		return append(dst, v.List[i]...)
	}
	n := v.Range[0] + i
	if v.As == asDate {
		return u.begun.AddDate(0, 0, -int(n)).AppendFormat(dst, time.DateOnly)
	}
	return strconv.AppendInt(dst, n, 10)
}
