package sqlite

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

var flips = flag.Int("flips", 100, "how many single-bit flips TestDamage tries")

// damageCounts are the numbers of documents in a database to damage: enough for more than one page in each table.
var damageCounts = [...]int64{dataset.Security: 20, dataset.Customer: 20, dataset.Order: 80}

// readAll passes every answer about the documents to each(), named by the transaction and its argument.
func readAll(ctx context.Context, s *Store, each func(name string, answer []byte, err error)) {
	ask := func(name string, of any, answer []byte, err error) { each(fmt.Sprint(name, " ", of), answer, err) }
	for i := range damageCounts[dataset.Order] {
		answer, err := s.GetOrder(ctx, orderID(i))
		ask("get_order", orderID(i), answer, err)
	}
	sectors := make(map[string]bool)
	for i := range damageCounts[dataset.Security] {
		symbol := tiny.Symbol(int(i))
		answer, err := s.GetSecurity(ctx, symbol)
		ask("get_security", symbol, answer, err)
		answer, err = s.SecurityPrice(ctx, symbol)
		ask("get_security_price", symbol, answer, err)
		keys, _ := tpox.SecurityKeysOf(tiny.Append(nil, dataset.Security, i))
		sectors[keys.Sector] = true
	}
	for sector := range sectors {
		answer, err := s.SearchSecurities(ctx, tpox.Search{Sector: sector, PEMax: 1 << 40})
		ask("search_securities", sector, answer, err)
	}
	for i := range damageCounts[dataset.Customer] {
		for name, query := range map[string]func(context.Context, tpox.ID) ([]byte, error){
			"customer_profile": s.CustomerProfile, "account_summary": s.AccountSummary,
			"customer_max_order": s.CustomerMaxOrder, "get_customer": s.GetCustomer,
		} {
			answer, err := query(ctx, customerID(i))
			ask(name, customerID(i), answer, err)
		}
		for a := tiny.FirstAccount(i); a < tiny.FirstAccount(i+1); a++ {
			account, err := s.GetAccount(ctx, tpox.ID(a))
			ask("get_account", a, account.Document, err)
		}
	}
}

// flip changes a bit of a file.
func flip(t testing.TB, path string, bit int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	b := make([]byte, 1)
	_, err = f.ReadAt(b, bit/8)
	require.NoError(t, err)
	b[0] ^= 1 << (bit % 8)
	_, err = f.WriteAt(b, bit/8)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// requireFound requires that verify finds the damage.
func requireFound(t testing.TB, s *Store, what string) {
	t.Helper()
	findings, _ := findingsOf(t, s)
	require.NotEmpty(t, findings, what)
}

// One bit of a database is flipped, anywhere in its file, before the store is opened or while it is open. If it opens
// and an answer is refused or wrong, verify finds damage.
func TestDamage(t *testing.T) {
	testenv.Long(t)
	path := filepath.Join(t.TempDir(), "b.db")
	var docs [][]byte
	for _, k := range dataset.Kinds {
		docs = append(docs, storetest.Documents(tiny, k)[:damageCounts[k]]...)
	}
	s := trainedAt(t, path)
	_, err := s.LoadBatches(t.Context(), storetest.Source("few", len(docs), nil, docs...), nil)
	require.NoError(t, err)
	answers := make(map[string]string)
	readAll(t.Context(), s, func(name string, answer []byte, err error) {
		require.NoError(t, err, name)
		answers[name] = string(answer)
	})
	require.NoError(t, s.Close())
	whole := readFile(t, path)

	r := rand.New(rand.NewPCG(1, uint64(*flips)))
	unopened, refused, wrong := 0, 0, 0
	for n := range *flips {
		bit := r.Int64N(int64(len(whole)) * 8)
		require.NoError(t, removeAll(path+"-wal", path+"-shm"))
		writeFile(t, path, whole)
		served := n%2 == 0
		if !served {
			flip(t, path, bit)
		}
		s, err := Open(t.Context(), path, store.Options{Pool: 1})
		if err != nil {
			unopened++
			continue
		}
		if served {
			flip(t, path, bit)
		}
		refuses, errs := 0, 0
		readAll(t.Context(), s, func(name string, answer []byte, err error) {
			if err != nil {
				refuses = 1
			} else if string(answer) != answers[name] {
				errs = 1
			}
		})
		if refused, wrong = refused+refuses, wrong+errs; refuses+errs > 0 {
			requireFound(t, s, fmt.Sprintf("bit %d of byte %d, in page %d", bit%8, bit/8%4096, bit/8/4096+1))
		}
		require.NoError(t, s.Close())
	}
	t.Logf("of %d flips, %d kept the store from opening, %d made it refuse answers, and %d give wrong ones",
		*flips, unopened, refused, wrong)
	require.Positive(t, refused)
}

// A flipped bit in a document, in the database or in its journal, is found when the document is read, and by verify.
func TestDamage_Document(t *testing.T) {
	for name, suffix := range map[string]string{"File": "", "Journal": "-wal"} {
		t.Run(name, func(t *testing.T) {
			s := tinyStore(t)
			_, err := s.UpdateOrderStatus(t.Context(), now(), orderID(3), "8")
			require.NoError(t, err)
			if suffix == "" {
				require.NoError(t, s.control(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"))
			}
			packed := scan[[]byte](t, s.reading, fmt.Sprintf("SELECT doc FROM orders WHERE id = %d", orderID(3)))
			at := bytes.LastIndex(readFile(t, s.path+suffix), packed)
			require.Positive(t, at)
			flip(t, s.path+suffix, int64(8*(at+len(packed)/2)))
			s.readers.keepSnapshots(false) // after the next commit, connections read the file again
			insert(t, s, 9_000_001)
			_, err = s.GetOrder(t.Context(), orderID(3))
			require.ErrorAs(t, err, new(*tpox.Damaged))
			_, err = s.UpdateOrderStatus(t.Context(), now(), orderID(3), "1")
			require.ErrorAs(t, err, new(*tpox.Damaged))
			requireFound(t, s, "an order")
			_, err = s.GetOrder(t.Context(), orderID(4))
			require.NoError(t, err)
		})
	}
}
