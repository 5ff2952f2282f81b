package postgres

import (
	"context"

	"brokerage/internal/tpox"
)

// DeleteOrder deletes the order with the given id, or returns *tpox.NotFound.
func (s single) DeleteOrder(ctx context.Context, w tpox.Write, id tpox.ID) error {
	return s.change(ctx, w, change{statement: "delete_order", args: []any{id}, notFound: tpox.NoOrder(id)})
}

// DeleteOrder deletes the row by which the order is found, and only if it existed, the order: one that another client
// has just inserted again must not be deleted. In a cluster, an insertion becomes visible on one node after the other:
// if the order is not visible yet, DeleteOrder starts again, because no row would be left by which the order could be
// found.
func (s spread) DeleteOrder(ctx context.Context, w tpox.Write, id tpox.ID) error {
	var home tpox.ID
	first := []query{{"delete_order_home", []any{id}, []any{&home}, nil, tpox.NoOrder(id)}}
	_, err := s.write(ctx, w, first, func() (change, error) {
		return change{statement: "delete_order", args: []any{home, id}, notFound: errMoved, after: true}, nil
	})
	return err
}
