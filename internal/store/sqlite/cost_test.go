package sqlite

import (
	"testing"

	"brokerage/internal/store/storetest"
)

func TestStore_LinearCost(t *testing.T) {
	d := generator(t, "tiny")
	storetest.LinearCost(t, loaded(t, d), d, func() []int { return nil })
}
