package postgres

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// requireDataset requires all documents of a dataset, byte for byte, and no more.
func requireDataset(t testing.TB, s *Store, d *dataset.Dataset) {
	t.Helper()
	require.NoError(t, s.Ready(t.Context()))
	contents, err := s.Contents(t.Context())
	require.NoError(t, err)
	require.Equal(t, store.ContentsOf(d), contents)
	space, err := s.Space(t.Context())
	require.NoError(t, err)
	var raw [len(dataset.Kinds)]int64
	for _, k := range dataset.Kinds {
		require.Equal(t, d.Count(k), space.Documents[k], k)
		var want []string
		for _, doc := range storetest.Documents(d, k) {
			want, raw[k] = append(want, string(doc)), raw[k]+int64(len(doc))
		}
		rows, _ := s.pool.Query(t.Context(), "SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage."+tableNames[k])
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got)
	}
	require.Equal(t, raw, space.Raw)
	require.Empty(t, verified(t, s))
	lease, err := s.Lease(t.Context(), "order", 1)
	require.NoError(t, err)
	require.Equal(t, d.ID(dataset.Order, d.Count(dataset.Order)), int64(lease.First))
}

// After an interruption at any chunk, the database is marked as unfinished, and can be loaded once it was emptied.
func TestLoadDataset_Interrupted(t *testing.T) {
	testenv.Long(t)
	_, url, d := fresh(t)
	s := opened(t, url, Options{})
	for stop := 1; ; stop++ { // after each chunk in turn
		ctx, cancel := context.WithCancel(t.Context())
		chunks := 0
		err := s.LoadDataset(ctx, d, func(int, int64) {
			if chunks++; chunks == stop {
				cancel()
			}
		})
		cancel()
		if err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		require.True(t, tpox.Is[*tpox.Unavailable](s.Ready(t.Context())), "a part is ready")
		require.ErrorContains(t, s.LoadDataset(t.Context(), d, nil), "was not finished")
		require.NoError(t, s.Empty(t.Context()))
	}
	requireDataset(t, s, d)
}

// Documents that cannot be stored are refused one by one, wherever they are in a batch.
func TestLoadBatches_Refused(t *testing.T) {
	s, _, d := fresh(t)
	customers := int(d.Count(dataset.Security))
	orders := customers + int(d.Count(dataset.Customer))
	docs := storetest.Documents(d, dataset.Kinds[:]...)
	docs = slices.Insert(docs, orders+60,
		[]byte(`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="x" Acct="1"/></FIXML>`))
	docs = slices.Insert(docs, orders+50, d.Append(nil, dataset.Order, 0))
	// With an account of a later customer.
	docs = slices.Insert(docs, customers+30, customer(d, 5_000_000_000, d.FirstAccount(40), 9))
	docs = slices.Insert(docs, customers+20, d.Append(nil, dataset.Customer, 3))
	docs = slices.Insert(docs, 10, []byte("not XML"))
	var refused []string
	from := storetest.Source("files", 300, &refused, docs...)
	from.Contents = store.ContentsOf(d)
	loaded, err := s.LoadBatches(t.Context(), from, nil)
	require.NoError(t, err)
	require.Len(t, refused, 5)
	require.Equal(t, int64(5), loaded.Refused)
	require.Contains(t, refused[0], "file-0:101: ")
	require.Contains(t, refused[1], fmt.Sprintf("customer %d exists already", d.ID(dataset.Customer, 3)))
	require.Contains(t, refused[2], "exists already")
	require.Contains(t, refused[3], fmt.Sprintf("order %d exists already", orderID(d, 0)))
	contents, err := s.Contents(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, d.Fingerprint(), contents.Fingerprint)
	require.Equal(t, d.Count(dataset.Customer), contents.Customers)
	require.Empty(t, verified(t, s))
}

// backedUpTo makes a backup and returns its file.
func backedUpTo(t testing.TB, s *Store) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "b.bak")
	_, _, err := s.backup(t.Context(), file, store.CopyOptions{})
	require.NoError(t, err)
	return file
}

// A restore brings back every byte, and replaces content only on request. It changes nothing if the backup is damaged
// or cut off, or if it is cancelled.
func TestBackup_Restore(t *testing.T) {
	s, d, _, _ := tiny(t)
	file := backedUpTo(t, s)
	doc := []byte(`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="1" Acct="2" Txt="\.">` +
		"\\N \\. tab\there\n\\.\n株</Order></FIXML>")
	require.NoError(t, errOf(s.InsertOrder(t.Context(), now(), doc)))
	want, err := s.GetOrder(t.Context(), 1)
	require.NoError(t, err)

	other, _, _ := fresh(t)
	m, err := other.restore(t.Context(), backedUpTo(t, s), store.CopyOptions{})
	require.NoError(t, err)
	require.Equal(t, d.Fingerprint(), m.Fingerprint)
	require.Equal(t, s.Describe().Identity, m.Identity)
	require.ErrorContains(t, errOf(other.restore(t.Context(), file, store.CopyOptions{})), "--replace")
	whole := []byte(testenv.Text(t, file))
	flipped := bytes.Clone(whole)
	flipped[len(whole)/2] ^= 0x10
	for _, damaged := range [][]byte{flipped, whole[:len(whole)/2]} {
		file := testenv.File(t, "damaged", string(damaged))
		require.Error(t, errOf(other.restore(t.Context(), file, store.CopyOptions{Replace: true})))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = other.restore(ctx, file, store.CopyOptions{Replace: true, Progress: func(done, total int64) {
		if done > total/2 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	got, err := other.GetOrder(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))

	require.NoError(t, errOf(other.restore(t.Context(), file, store.CopyOptions{Replace: true})))
	requireDataset(t, other, d)
	require.NoError(t, errOf(other.pool.Exec(t.Context(), "ALTER TABLE brokerage.orders ADD CHECK (id = 7) NOT VALID")))
	err = errOf(other.restore(t.Context(), file, store.CopyOptions{Replace: true}))
	require.ErrorContains(t, err, "violates check constraint", "and the backup is not damaged")
}

// Verify finds where columns and other tables differ from the documents, in both directions.
func TestVerify_Findings(t *testing.T) {
	testenv.Long(t)
	for _, parameters := range []string{"", pure} {
		d := generator(t)
		s := opened(t, loaded(t, d, parameters), Options{})
		require.Empty(t, verified(t, s))
		owner, other := d.ID(dataset.Customer, 0), d.ID(dataset.Customer, 1)
		first, second := d.FirstAccount(0), d.FirstAccount(1)
		changes := map[string]string{
			fmt.Sprintf("DELETE FROM brokerage.accounts WHERE account = %d", first): fmt.Sprintf(
				"customer %d: account %d is in the document, but does not belong to it", owner, first),
			"INSERT INTO brokerage.accounts VALUES (5, 6)": "account 5: belongs to customer 6, whose document does not have it",
			fmt.Sprintf("UPDATE brokerage.customers SET accounts = '{%d, 5}' WHERE id = %d", second, other): fmt.Sprintf(
				`customer %d: the stored keys are "%[1]d [%d 5]", but those of the document are `, other, second),
			fmt.Sprintf("UPDATE brokerage.orders SET account = 5 WHERE id = %d", orderID(d, 0)): fmt.Sprintf(
				`order %d: the stored keys are "%[1]d 5`, orderID(d, 0)),
			`INSERT INTO brokerage.orders VALUES (7, 2, '<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4">` +
				`<Order ID="7" Acct="2"></Order></FIXML>')`: "order 7: the document is not valid",
		}
		if !s.pure {
			maps.Copy(changes, map[string]string{
				fmt.Sprintf("DELETE FROM brokerage.account_orders WHERE id = %d", orderID(d, 1)): fmt.Sprintf(
					`order %d: the stored keys are "%[1]d`, orderID(d, 1)),
				fmt.Sprintf("UPDATE brokerage.account_orders SET cash = 7, cash_text = '7' WHERE id = %d",
					orderID(d, 2)): fmt.Sprintf(` 7", but those of the document are "%d`, orderID(d, 2)),

				"INSERT INTO brokerage.account_orders VALUES (5, 6, 7, '7')": "order 6: account 5 lists it with the cash 7,",

				"UPDATE brokerage.security_search SET pe = 7 WHERE symbol = '" + d.Symbol(0) + "'": "security " + d.Symbol(0),
				"DELETE FROM brokerage.security_search WHERE symbol = '" + d.Symbol(1) + "'":       "security " + d.Symbol(1),

				"INSERT INTO brokerage.security_search VALUES ('NONE', NULL, 1, 2, '', '', '', '')": "security NONE: a search",
			})
		}
		for sql := range changes {
			exec(t, s.pool, sql)
		}
		findings := strings.Join(verified(t, s), "\n")
		for sql, finding := range changes {
			require.Contains(t, findings, finding, sql)
		}
	}
}

// While a load runs, another one is refused, since each would take the other's documents for duplicates. Emptying the
// database is refused too: it would leave a part of the load.
func TestLoadDataset_Alone(t *testing.T) {
	first, url, d := fresh(t)
	second := opened(t, url, Options{})
	refused := sync.OnceFunc(func() {
		require.ErrorContains(t, second.LoadDataset(t.Context(), d, nil), "was not finished")
		require.ErrorIs(t, second.loading(t.Context(), "another", nil, nil), errLoadRuns)
		require.ErrorIs(t, second.Empty(t.Context()), errLoadRuns)
	})
	require.NoError(t, first.LoadDataset(t.Context(), d, func(int, int64) { refused() }))
	require.NoError(t, second.LoadDataset(t.Context(), d, nil))
	requireDataset(t, first, d)
}
