package db2

import (
	"context"
	"slices"
	"strings"

	"brokerage/internal/tpox"
)

// remove deletes a document. A statement with several parameters gets the id for each. A document that is gone after an
// attempt with an unknown outcome was deleted by that attempt.
func (s *Store) remove(ctx context.Context, w tpox.Write, name string, id tpox.ID, none error) error {
	ids := slices.Repeat([]any{id.String()}, strings.Count(statements[name], "?"))
	_, err := s.write(ctx, w, retryUnknown, func(t *tx) ([]byte, error) {
		changed, err := t.exec(name, ids...)
		if err == nil && !changed && !t.maybeDone {
			err = none
		}
		return nil, err
	})
	return err
}
