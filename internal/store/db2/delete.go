package db2

import (
	"context"

	"brokerage/internal/brokerage"
)

// remove deletes a document. One that is gone after an attempt with an unknown outcome was deleted by that attempt.
func (s *Store) remove(ctx context.Context, w brokerage.Write, name string, id brokerage.ID, none error) error {
	_, err := s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		changed, err := t.exec(name, id.String())
		if err == nil && !changed && !t.maybeDone {
			err = none
		}
		return nil, err
	})
	return err
}
