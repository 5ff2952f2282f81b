//go:build db2

package db2

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

// Concurrent writes of two customers, named in opposite orders, all count: there is no deadlock, and each writes both
// documents or none.
func TestWrite_SeveralDocumentsAtOnce(t *testing.T) {
	s := openBench(t, onBench(t), Options{Pool: 4})
	text := func(id tpox.ID, n int) string {
		return fmt.Sprintf(`<Customer xmlns="http://tpox-benchmark.com/custacc" id="%d"><Title>%d</Title>`+
			`<Accounts><Account id="%d"></Account></Accounts></Customer>`, id, n, 1000+id)
	}
	number := func(doc []byte) int {
		_, after, _ := strings.Cut(string(doc), "<Title>")
		before, _, _ := strings.Cut(after, "<")
		n, err := strconv.Atoi(before)
		require.NoError(t, err)
		return n
	}
	w := tpox.Write{Now: noon}
	for _, id := range []tpox.ID{901, 902} {
		_, err := s.InsertCustomer(t.Context(), w, []byte(text(id, 0)), false)
		require.NoError(t, err)
	}
	move := func(from, to tpox.ID) error {
		_, err := s.write(t.Context(), w, failUnknown, func(t *tx) ([]byte, error) {
			docs, err := lock(t, "customer", from, to)
			if err != nil {
				return nil, err
			}
			for id, n := range map[tpox.ID]int{from: number(docs[from]) - 1, to: number(docs[to]) + 1} {
				if _, err := t.exec("replace_customer_as_is", text(id, n), id.String()); err != nil {
					return nil, err
				}
			}
			return nil, nil
		})
		return err
	}
	var all sync.WaitGroup
	errs := make([]error, 2)
	for i, pair := range [][2]tpox.ID{{901, 902}, {902, 901}} {
		all.Go(func() {
			for n := 0; n < 8+2*i && errs[i] == nil; n++ { // 8 there, 10 back
				errs[i] = move(pair[0], pair[1])
			}
		})
	}
	all.Wait()
	require.Equal(t, make([]error, 2), errs)
	for id, want := range map[tpox.ID]int{901: 2, 902: -2} {
		doc, err := s.GetCustomer(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, want, number(doc))
	}
}
