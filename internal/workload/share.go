package workload

import "fmt"

// Share is the part of a load that one of several load generators issues: part Number of Of, from 1. The zero value is
// the whole load.
type Share struct{ Number, Of int }

// Users returns the users of the share, of all users of the load: [from, to).
func (s Share) Users(all int) (from, to int) {
	if s.Of == 0 {
		return 0, all
	}
	at := func(k int) int { return all/s.Of*k + min(k, all%s.Of) }
	return at(s.Number - 1), at(s.Number)
}

// Check returns an error if the share does not exist, or would be without users.
func (s Share) Check(users int) error {
	switch {
	case s == Share{}:
		return nil
	case s.Number < 1 || s.Number > s.Of:
		return fmt.Errorf("there is no part %d of %d", s.Number, s.Of)
	case users < s.Of:
		return fmt.Errorf("%d users cannot be divided among %d parts: each needs one", users, s.Of)
	}
	return nil
}
