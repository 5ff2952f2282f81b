package tpox

import "strconv"

// ID is the number of a customer, an account or an order: 1 to 15 digits without a leading zero, which a float64 holds
// exactly.
type ID int64

const (
	maxIDDigits = 15
	endOfIDs    = 1_000_000_000_000_000 // the first number that is too long
)

// ParseID reads an id. ok is false for anything but 1 to 15 digits without a leading zero.
func ParseID[S string | []byte](s S) (id ID, ok bool) {
	if len(s) == 0 || len(s) > maxIDDigits || s[0] == '0' {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		id = 10*id + ID(s[i]-'0')
	}
	return id, true
}

func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }
