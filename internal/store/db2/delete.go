package db2

import (
	"context"

	"brokerage/internal/tpox"
)

// remove deletes a document. One that is gone after an attempt with an unknown outcome was deleted by that attempt.
func (s *Store) remove(ctx context.Context, w tpox.Write, name string, id tpox.ID, none error) error {
	_, err := s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		changed, err := t.exec(name, id.String())
		if err == nil && !changed && !t.maybeDone {
			err = none
		}
		return nil, err
	})
	return err
}
