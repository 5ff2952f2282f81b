package postgres

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
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
		for i := range d.Count(k) {
			want := d.Append(nil, k, i)
			raw[k] += int64(len(want))
			var got []byte
			switch k {
			case dataset.Security:
				got, err = s.GetSecurity(t.Context(), d.Symbol(int(i)))
			case dataset.Customer:
				got, err = s.GetCustomer(t.Context(), tpox.ID(d.ID(k, i)))
			case dataset.Order:
				got = value[[]byte](t, s.pool,
					"SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.orders WHERE (keys).id = $1", d.ID(k, i))
			}
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		}
	}
	require.Equal(t, raw, space.Raw)
	require.Empty(t, verified(t, s))
	lease, err := s.Lease(t.Context(), "order", 1)
	require.NoError(t, err)
	require.Equal(t, d.ID(dataset.Order, d.Count(dataset.Order)), int64(lease.First))
}

// After an interruption, wherever it was, the database says so, and is loaded again when it was emptied.
func TestLoadDataset_Interrupted(t *testing.T) {
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
		contents, err := s.Contents(t.Context())
		require.NoError(t, err)
		require.Zero(t, contents)
		require.ErrorContains(t, s.LoadDataset(t.Context(), d, nil), "was not finished")
		require.NoError(t, s.Empty(t.Context()))
	}
	requireDataset(t, s, d)
	require.NoError(t, s.LoadDataset(t.Context(), d, func(int, int64) { t.Error("something was loaded again") }))
	err := s.LoadDataset(t.Context(), dataset.New(dataset.Spec{Seed: 2}), nil)
	require.ErrorContains(t, err, "holds "+d.Fingerprint()+" already")
}

func TestLoadDataset_Empty(t *testing.T) {
	s, _, _, _ := tiny(t)
	require.NoError(t, s.Empty(t.Context()))
	other := dataset.New(dataset.Spec{Seed: 2})
	require.NoError(t, s.LoadDataset(t.Context(), other, nil))
	requireDataset(t, s, other)
}

func TestLoadBatches(t *testing.T) {
	s, _, d := fresh(t)
	from := storetest.Source("files", 300, nil, storetest.Documents(d, dataset.Kinds[:]...)...)
	from.Contents = store.ContentsOf(d)
	_, err := s.LoadBatches(t.Context(), from, nil)
	require.NoError(t, err)
	requireDataset(t, s, d)
	_, err = s.LoadBatches(t.Context(), from, func(int, int64) { t.Error("something was loaded again") })
	require.NoError(t, err)
}

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
	for i, want := range []string{
		0: "file-0:101: ",
		1: fmt.Sprintf("customer %d exists already", d.ID(dataset.Customer, 3)),
		2: "exists already",
		3: fmt.Sprintf("order %d exists already", orderID(d, 0)),
	} {
		require.Contains(t, refused[i], want)
	}
	contents, err := s.Contents(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, d.Fingerprint(), contents.Fingerprint)
	require.Equal(t, d.Count(dataset.Customer), contents.Customers)
	require.Empty(t, verified(t, s))
}

// backedUpTo returns the file of a backup.
func backedUpTo(t testing.TB, s *Store) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "b.bak")
	_, _, err := s.BackupTo(t.Context(), file, false, nil)
	require.NoError(t, err)
	return file
}

// indexed reports whether the indexes exist that are made at the end of a load.
func indexed(t testing.TB, s *Store) bool {
	t.Helper()
	return value[bool](t, s.pool, `SELECT to_regclass('brokerage.orders_cash') IS NOT NULL
		AND to_regclass('brokerage.securities_search') IS NOT NULL`)
}

// content returns the number of rows of each table, and the sum of their hashes.
func content(t testing.TB, s *Store) (all []string) {
	t.Helper()
	for _, table := range []string{"orders", "customers", "securities", "accounts", "settings", "leases"} {
		all = append(all, value[string](t, s.pool, "SELECT '"+table+" ' || count(*) || ' ' || "+
			"coalesce(sum(hashtextextended(r::text, 0)), 0)::text FROM brokerage."+table+" AS r"))
	}
	return all
}

func TestBackup_Restore(t *testing.T) {
	s, d, _, _ := tiny(t)
	require.NoError(t, s.DeleteOrder(t.Context(), now(), orderID(d, 5)))
	insertOrder(t, s, []byte(`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="1" Acct="2" Txt="\.">`+
		"\\N \\. tab\there\n\\.\n株</Order></FIXML>"))
	file := backedUpTo(t, s)
	_, _, err := s.BackupTo(t.Context(), file, false, nil)
	require.ErrorContains(t, err, "--replace")

	other, _, _ := fresh(t)
	m, err := other.Restore(t.Context(), file, false, nil)
	require.NoError(t, err)
	require.Equal(t, d.Fingerprint(), m.Fingerprint)
	require.Equal(t, s.Describe().Identity, m.Identity)
	require.Equal(t, content(t, s), content(t, other))
	require.NoError(t, other.Ready(t.Context()))
	require.True(t, indexed(t, other))

	// A database with content is replaced only on request.
	require.ErrorContains(t, errOf(other.Restore(t.Context(), file, false, nil)), "--replace")
	require.NoError(t, other.DeleteCustomer(t.Context(), now(), tpox.ID(d.ID(dataset.Customer, 0))))
	require.NoError(t, errOf(other.Restore(t.Context(), file, true, nil)))
	require.Equal(t, content(t, s), content(t, other))
}

// A backup can be restored without this program: psql runs the printed schema, and then the unpacked backup.
func TestBackup_ByHand(t *testing.T) {
	psql := testenv.Command(t, "psql")
	s, d, server, _ := tiny(t)
	require.NoError(t, s.DeleteOrder(t.Context(), now(), orderID(d, 5)))
	backup, err := os.Open(backedUpTo(t, s))
	require.NoError(t, err)
	defer func() { _ = backup.Close() }() // it is only read
	unpacked, err := zstd.NewReader(backup)
	require.NoError(t, err)
	defer unpacked.Close()
	url := server.URL(server.Database(t))
	for _, input := range []io.Reader{strings.NewReader(script(t)), unpacked} {
		cmd := exec.CommandContext(t.Context(), psql, "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", url)
		cmd.Stdin = input
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	by := opened(t, url, Options{AsIs: true})
	require.NoError(t, by.Ready(t.Context()))
	require.Empty(t, verified(t, by))
	require.Equal(t, content(t, s), content(t, by))
	require.Equal(t, s.Describe().Identity, by.Describe().Identity)
	require.NoError(t, by.Empty(t.Context()))
	emptied := opened(t, url, Options{AsIs: true})
	require.Equal(t, s.Describe().Identity, emptied.Describe().Identity, "it is the same database")
}

// If any byte of a backup is changed or missing, nothing is restored.
func TestRestore_Damaged(t *testing.T) {
	s, d, _, _ := tiny(t)
	file := backedUpTo(t, s)
	whole := []byte(testenv.Text(t, file))
	damaged := file + ".damaged"
	for i := range 20 {
		at := i * (len(whole) - 1) / 19
		flipped := bytes.Clone(whole)
		flipped[at] ^= 0x10
		for _, b := range [][]byte{flipped, whole[:at]} {
			require.NoError(t, os.WriteFile(damaged, b, 0o600))
			require.Error(t, errOf(s.Restore(t.Context(), damaged, true, nil)), "byte %d", at)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Restore(ctx, file, true, func(done, total int64) {
		if done > total*3/4 { // in the transaction
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	cancel()
	requireDataset(t, s, d)
}

// Verify finds changes that require more rights than the service has.
func TestVerify_Findings(t *testing.T) {
	s, d, _, _ := tiny(t)
	account := d.FirstAccount(0)
	_, err := s.pool.Exec(t.Context(), fmt.Sprintf(`DELETE FROM brokerage.accounts WHERE account = %d;
		INSERT INTO brokerage.accounts VALUES (5, 6)`, account))
	require.NoError(t, err)
	insertOrder(t, s, []byte(
		`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="7" Acct="2"></Order></FIXML>`))
	findings := verified(t, s)
	require.Len(t, findings, 3)
	require.Contains(t, findings[0], "order 7: the document is not valid")
	require.ElementsMatch(t, findings[1:], []string{
		fmt.Sprintf("customer %d: account %d is in the document, but does not belong to it",
			d.ID(dataset.Customer, 0), account),
		"account 5: belongs to customer 6, whose document does not have it",
	})
}

// A key that the database has and the document does not is found.
func TestCheckRows(t *testing.T) {
	d := generator(t, "tiny")
	for k, keys := range map[dataset.Kind]string{
		dataset.Security: d.Symbol(0) + " 1 2 Energy", dataset.Customer: "1002 [5 6]", dataset.Order: "103282 7 true",
	} {
		findings := checkRows(k, []storedRow{{Name: "x", Keys: keys, Doc: d.Append(nil, k, 0)}}).Findings
		require.Len(t, findings, 1, k)
		require.Contains(t, findings[0], "x: the keys "+keys+" are not those of the document")
	}
}

// While a load runs, another one is refused, since each would take the other's documents for its own. Emptying the
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

func TestCopied(t *testing.T) {
	for doc, line := range map[string]string{
		"":                    "\n",
		"<a>x</a>":            "<a>x</a>\n",
		"\\<a>\n</a>\t\r\\N":  `\\<a>\n</a>\t\r\\N` + "\n",
		"<a>\\.</a>":          `<a>\\.</a>` + "\n",
		"株\n\n":               `株\n\n` + "\n",
		"ends with a \\":      `ends with a \\` + "\n",
		"\tbegins with a tab": `\tbegins with a tab` + "\n",
	} {
		var rows copied
		rows.document([]byte(doc))
		require.Equal(t, line, string(rows), "%q", doc)
	}
	var rows copied
	rows.id(0)
	rows.id(7)
	require.Equal(t, "\\N\t7\t", string(rows))
}
