package workload

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Value is where a marker of one's own transactions has its values from: a range of numbers, a list, a list in a file,
// or the ids of the dataset. The distribution is over the positions in it; Uniform by default.
type Value struct {
	Draw

	Range    *Range   `json:"range"`    // both ends included
	Decimals int      `json:"decimals"` // of a number: 1 makes 125 to 12.5
	As       string   `json:"as"`       // asDate makes a number to the date so many days before the run
	List     []string `json:"list"`
	File     string   `json:"file"` // a list, one entry a line; relative to the workload file
	IDs      string   `json:"ids"`  // one of keysOf

	name  string
	index int // in Definition.values
}

const (
	// Sequence gives each value once, to all users together, in order. It ends, so the run must not be able to reach its
	// end.
	Sequence = "sequence"
	asDate   = "date"

	maxSize     = 1_000_000_000_000_000 // of a range: so that its positions can be scattered without overflow
	maxDecimals = 9
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
	case v.IDs != "" && v.Distribution == Sequence:
		return fmt.Errorf("%s is not for ids", v.Distribution)
	case v.Range == nil && (v.As != "" || v.Decimals != 0), v.As != "" && v.Decimals != 0:
		return errors.New("as or decimals are for a range")
	case v.As != "" && v.As != asDate:
		return fmt.Errorf("as: %q is not date", v.As)
	case v.Decimals < 0 || v.Decimals > maxDecimals:
		return fmt.Errorf("decimals: %d is not from 0 to %d", v.Decimals, maxDecimals)
	case v.Distribution == Sequence && v.Draw == (Draw{Distribution: Sequence}):
		return nil
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
	return v.Range != nil && v.As == "" && v.Decimals == 0 || v.IDs != "" && v.IDs != "security"
}

// drawer returns a function that appends a value for a user. The function returns false when there is none.
func (v *Value) drawer(u *User, number int) func(dst []byte) ([]byte, bool) {
	size := v.size(u.population)
	if v.Distribution == Sequence {
		given := &u.sequences[v.index]
		return func(dst []byte) ([]byte, bool) {
			i := u.share.position(given.Add(1) - 1)
			if i >= size {
				return dst, false
			}
			return v.append(dst, u, i), true
		}
	}
	pick := v.ranks(u.rand, size, number, u.users)
	if v.IDs != "" {
		pick = v.picker(u.rand, size, number, u.users)
	}
	return func(dst []byte) ([]byte, bool) { return v.append(dst, u, pick()), true }
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
	switch {
	case v.As == asDate:
		return u.begun.AddDate(0, 0, -int(n)).AppendFormat(dst, time.DateOnly)
	case v.Decimals > 0:
		return strconv.AppendFloat(dst, float64(n)/math.Pow10(v.Decimals), 'f', v.Decimals, 64)
	default:
		return strconv.AppendInt(dst, n, 10)
	}
}
