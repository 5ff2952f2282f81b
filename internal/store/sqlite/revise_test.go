package sqlite

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

// Concurrent writes that change the same two documents, in either order, lose no change. If the second of two
// statements of a write fails, neither is done.
func TestRevise_TwoDocuments(t *testing.T) {
	s := tinyStore(t)
	numbers := [...]int64{3, 8} // of the customers
	// lengthen adds a letter to the last name of both customers.
	lengthen := func(first, second int64) error {
		return errOf(s.revise(t.Context(), now(), func(r *revision) error {
			for _, number := range []int64{first, second} {
				id, doc, err := r.customerOf(t.Context(), tpox.ID(tiny.FirstAccount(number)))
				if err != nil {
					return err
				}
				longer := bytes.Replace(doc, []byte("</LastName>"), []byte("x</LastName>"), 1)
				r.write(replaceCustomer, id, s.pack(customers, longer))
			}
			return nil
		}))
	}
	const workers, each = 8, 20
	together(workers, func(worker int) {
		for range each {
			if err := lengthen(numbers[worker%2], numbers[1-worker%2]); err != nil {
				t.Error(err)
			}
		}
	})
	require.Positive(t, s.Stats().Retries["changed"], "no document changed meanwhile, so this shows nothing")

	require.Error(t, errOf(s.revise(t.Context(), now(), func(r *revision) error {
		r.write(replaceCustomer, int64(customerID(numbers[0])), s.pack(customers, []byte("<a/>")))
		r.write(insertCustomer, int64(customerID(numbers[1])), s.pack(customers, []byte("<a/>"))) // which exists
		return nil
	})))
	for _, number := range numbers {
		doc, err := s.GetCustomer(t.Context(), customerID(number))
		require.NoError(t, err)
		require.Contains(t, string(doc), strings.Repeat("x", workers*each)+"</LastName>")
	}
	requireClean(t, s)
}
