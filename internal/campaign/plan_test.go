package campaign

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Only what --steps names runs on the loaded database, in its order, on no more connections than there may be.
func TestPlan(t *testing.T) {
	s := newWorld(t).settings()
	s.Steps, s.Inserts = []string{"folder/own.json", insertOrders, crashStep}, nil
	steps := plan(s, newWorld(t).engine(), 0)
	require.Equal(t, []string{"create", "load", "statistics", "space", "backup", "restore", "own, 2 users", "own, 4 users",
		"insert-orders, 4 users", "crash"}, names(steps))

	connections := func(most int, pool *int) (all []int) {
		s.Pool = pool
		for _, step := range plan(s, newWorld(t).engine(), most) {
			if step.Plan != nil {
				all = append(all, step.Plan.Connections)
			}
		}
		return all
	}
	require.Equal(t, []int{2, 4, 4, 4}, connections(0, nil))
	require.Equal(t, []int{2, 3, 3, 3}, connections(3, nil))
	require.Equal(t, []int{7, 7, 7, 7}, connections(0, new(7)))
	require.Equal(t, []int{0, 0, 0, 0}, connections(3, new(0)), "those of the store")
}
