package sqlite

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/sqlite/pagesum"
	"brokerage/internal/tpox"
)

var flips = flag.Int("flips", 100, "how many single-bit flips TestDamage tries")

// damageCounts are the numbers of documents in a database to damage: enough for more than one page in each table.
var damageCounts = [...]int64{dataset.Security: 20, dataset.Customer: 20, dataset.Order: 80}

// readAll calls each with every answer about the documents, named by the transaction and its argument.
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

// writeAll makes a number of writes, which are the same each time.
func writeAll(ctx context.Context, s *Store, each func(name string, err error)) {
	for i := range damageCounts[dataset.Order] {
		_, err := s.UpdateOrderStatus(ctx, now(), orderID(i), "8")
		each(fmt.Sprint("update_order_status ", orderID(i)), err)
	}
	for i := range damageCounts[dataset.Security] {
		_, err := s.UpdateSecurityPrice(ctx, now(), tiny.Symbol(int(i)), tpox.Price{LastTrade: "12.25"})
		each("update_security_price "+tiny.Symbol(int(i)), err)
	}
	for i := range damageCounts[dataset.Customer] {
		trade := tpox.Trade{Side: tpox.Buy, Symbol: tiny.Symbol(int(i)), Quantity: "1"}
		_, err := s.Trade(ctx, now(), tpox.ID(tiny.FirstAccount(i)), trade)
		each(fmt.Sprint("buy_security ", tiny.FirstAccount(i)), err)
		id := orderID(damageCounts[dataset.Order] + i)
		_, err = s.InsertOrder(ctx, now(), order(int64(id)))
		each(fmt.Sprint("insert_order ", id), err)
		each(fmt.Sprint("delete_order ", id), s.DeleteOrder(ctx, now(), id))
	}
}

// A damageable is a database with some documents, which is restored for each flip, and the right answers.
type damageable struct {
	file          []byte
	path          string
	before, after map[string]string // of writeAll
}

// damageables is what all tests damage.
var damageables struct {
	sync.Once
	damageable
}

func newDamageable(t testing.TB) *damageable {
	t.Helper()
	damageables.Do(func() { damageables.fill(t) })
	b := damageables.damageable
	b.path = filepath.Join(t.TempDir(), "b.db")
	return &b
}

func (b *damageable) fill(t testing.TB) {
	t.Helper()
	b.path = filepath.Join(t.TempDir(), "b.db")
	s := trainedAt(t, b.path)
	for _, k := range dataset.Kinds {
		require.NoError(t, s.writer.write(t.Context(), func(tx *transaction) (err error) {
			for _, doc := range s.packBatch(tiny, k, 0, damageCounts[k]).documents {
				err = errors.Join(err, tx.insert(doc))
			}
			return err
		}))
	}
	require.NoError(t, s.Close())
	b.file = readFile(t, b.path)
	s = b.open(t)
	b.before = b.answers(t, s)
	b.write(t, s)
	b.after = b.answers(t, s)
	require.NoError(t, s.Close())
}

func (b *damageable) open(t testing.TB) *Store {
	t.Helper()
	s, err := Open(t.Context(), b.path, store.Options{Pool: 1})
	require.NoError(t, err)
	return s
}

// restore restores the database, without a journal.
func (b *damageable) restore(t testing.TB) {
	t.Helper()
	require.NoError(t, removeAll(b.path+"-wal", b.path+"-shm"))
	writeFile(t, b.path, b.file)
}

func (b *damageable) write(t testing.TB, s *Store) {
	t.Helper()
	writeAll(t.Context(), s, func(name string, err error) { require.NoError(t, err, name) })
}

func (b *damageable) answers(t testing.TB, s *Store) map[string]string {
	t.Helper()
	answers := make(map[string]string)
	readAll(t.Context(), s, func(name string, answer []byte, err error) {
		require.NoError(t, err, name)
		answers[name] = string(answer)
	})
	return answers
}

// randomBit returns a bit of the file, and its name.
func (b *damageable) randomBit(r *rand.Rand) (bit int64, name string) {
	bit = r.Int64N(int64(len(b.file)) * 8)
	return bit, fmt.Sprintf("bit %d of byte %d, in page %d", bit%8, bit/8%4096, bit/8/4096+1)
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

// isRefused reports whether err is a refusal because of damage; any other error fails the test.
func isRefused(t testing.TB, err error, what string) bool {
	t.Helper()
	_, damaged := errors.AsType[*tpox.Damaged](err)
	if err != nil && !damaged {
		t.Errorf("%s: %v", what, err)
	}
	return damaged
}

// readDamaged reads everything in a damaged database: each answer must be right, or refused as damaged.
func readDamaged(t testing.TB, s *Store, what string, right func(name, answer string) bool) (refused bool) {
	t.Helper()
	readAll(t.Context(), s, func(name string, answer []byte, err error) {
		if isRefused(t, err, what+": "+name) {
			refused = true
		} else if err == nil && !right(name, string(answer)) {
			t.Errorf("%s: %s: a wrong answer: %s", what, name, answer)
		}
	})
	return refused
}

// requireFound requires that verify finds the damage.
func requireFound(t testing.TB, s *Store, what string) {
	t.Helper()
	findings, _ := findingsOf(t, s)
	require.NotEmpty(t, findings, what)
}

// One bit of a database is flipped, anywhere in its file: no answer is wrong or "not found", and verify finds the
// damage.
func TestDamage(t *testing.T) {
	b := newDamageable(t)
	r := rand.New(rand.NewPCG(1, uint64(*flips)))
	refused := 0
	for n := range *flips {
		bit, what := b.randomBit(r)
		b.restore(t)
		served := n%2 == 0 // the bit is flipped while the service runs, or before it starts
		if !served {
			flip(t, b.path, bit)
		}
		s, err := Open(t.Context(), b.path, store.Options{Pool: 1})
		if err != nil {
			require.ErrorAs(t, err, new(*tpox.Damaged), what)
			continue
		}
		if served {
			flip(t, b.path, bit)
		}
		if readDamaged(t, s, what, func(name, answer string) bool { return answer == b.before[name] }) {
			refused++
		}
		requireFound(t, s, what)
		require.NoError(t, s.Close())
	}
	require.Positive(t, refused)
}

// Writes that need damaged data are refused as damaged, never executed on wrong data, and leave the damage unchanged.
func TestDamage_Writes(t *testing.T) {
	b := newDamageable(t)
	r := rand.New(rand.NewPCG(3, uint64(*flips)))
	for range max(1, *flips/5) {
		bit, what := b.randomBit(r)
		b.restore(t)
		s := b.open(t)
		flip(t, b.path, bit)
		refused := make(map[string]bool)
		writeAll(t.Context(), s, func(name string, err error) {
			if tpox.Is[*tpox.NotFound](err) && refused["insert"+name[len("delete"):]] {
				return // it could not be inserted
			}
			if isRefused(t, err, what+": "+name) {
				refused[name] = true
			}
		})
		readDamaged(t, s, what, func(name, answer string) bool {
			return answer == b.after[name] || len(refused) > 0 && answer == b.before[name]
		})
		if len(refused) > 0 {
			requireFound(t, s, what)
		}
		require.NoError(t, s.Close())
	}
}

// A damaged page in the journal leads to no answer either, and is not moved into the database, where it would get a
// matching checksum.
func TestDamage_Journal(t *testing.T) {
	b := newDamageable(t)
	r := rand.New(rand.NewPCG(2, uint64(*flips)))
	refused := 0
	for range max(1, *flips/5) {
		b.restore(t)
		s := b.open(t)
		b.write(t, s)
		s.readers.keepSnapshots(false) // so that no pages are cached
		bit := 8*pagesum.JournalHeader + r.Int64N(8*(sizeOf(b.path+"-wal")-pagesum.JournalHeader))
		flip(t, b.path+"-wal", bit)
		what := fmt.Sprintf("bit %d of frame %d", bit, (bit/8-pagesum.JournalHeader)/(4096+pagesum.FrameHeader)+1)
		if readDamaged(t, s, what, func(name, answer string) bool { return answer == b.after[name] }) {
			refused++
			requireFound(t, s, what)
			db, err := OpenFile(b.path)
			require.NoError(t, err)
			_, err = db.ExecContext(t.Context(), "PRAGMA wal_checkpoint(FULL)")
			require.True(t, isDamage(err), "%s: %v", what, err)
			require.NoError(t, db.Close())
		}
		_ = s.Close()
	}
	require.Positive(t, refused)
}

// A journal that a killed process left is read at the next start. Damage in it must not lose what was acknowledged
// after it; an incomplete end may.
func TestDamage_JournalOfAKilled(t *testing.T) {
	b := newDamageable(t)
	b.restore(t)
	s := b.open(t)
	b.write(t, s)
	journal := readFile(t, b.path+"-wal")
	b.file = readFile(t, b.path)
	require.NoError(t, s.Close())
	killed := func(journal []byte) (*Store, error) {
		b.restore(t)
		writeFile(t, b.path+"-wal", journal)
		return Open(t.Context(), b.path, store.Options{Pool: 1})
	}
	const frame = pagesum.FrameHeader + 4096
	for _, torn := range []int{0, 100, frame, 3*frame + 1000} {
		s, err := killed(journal[:len(journal)-torn])
		require.NoError(t, err)
		if torn == 0 {
			require.Equal(t, b.after, b.answers(t, s))
		}
		require.NoError(t, s.Close())
	}
	tail := slices.Concat(journal[:len(journal)-2*frame], make([]byte, frame), journal[len(journal)-frame:])
	s, err := killed(tail)
	require.NoError(t, err, "of the last transaction a frame in its middle came to disk later than its last")
	require.NoError(t, s.Close())

	r := rand.New(rand.NewPCG(4, uint64(*flips)))
	for n := range *flips {
		bit := r.Int64N(int64(8 * (len(journal) - 10*frame)))
		if n < pagesum.JournalHeader {
			bit = int64(8*n + n%8) // the header is 3 in 10,000 of it
		}
		what := fmt.Sprintf("bit %d", bit)
		flipped := slices.Clone(journal)
		flipped[bit/8] ^= 1 << (bit % 8)
		s, err := killed(flipped)
		if err != nil {
			require.ErrorAs(t, err, new(*tpox.Damaged), what)
			require.ErrorContains(t, err, "does not match its checksum, and acknowledged transactions follow it", what)
			require.True(t, bytes.Equal(flipped, readFile(t, b.path+"-wal")), "the journal has changed")
			continue
		}
		require.Equal(t, b.after, b.answers(t, s), what)
		require.NoError(t, s.Close())
		t.Errorf("%s makes no difference", what)
	}
}
