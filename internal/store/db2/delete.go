package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// remove deletes a document. One that is gone after an attempt with an unknown outcome was deleted by that attempt.
func (s *Store) remove(ctx context.Context, w brokerage.Write, name string, id brokerage.ID, none error) error {
	_, err := s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		if t.maybeDone {
			none = nil
		}
		return nil, t.mustChange(none, name, id.String())
	})
	return err
}
