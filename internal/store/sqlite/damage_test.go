package sqlite

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/sqlite/pagesum"
)

var flips = flag.Int("flips", 100, "how many single-bit flips TestDamage tries")

// someDocuments fills a database with the first documents of a dataset, of each kind as many as there are so that each
// table has more than a page, and gives how many these are.
func someDocuments(t testing.TB, s *Store, d *dataset.Dataset) [3]int64 {
	t.Helper()
	require.NoError(t, s.train(t.Context(), func(k dataset.Kind, n int) [][]byte { return sample(d, k, n) }))
	counts := [...]int64{dataset.Security: 20, dataset.Customer: 20, dataset.Order: 80}
	for _, k := range dataset.Kinds {
		require.NoError(t, s.writer.write(t.Context(), func(tx *transaction) error {
			for _, row := range s.packBatch(d, k, 0, counts[k]).rows {
				if err := tx.insertRow(row); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return counts
}

// readAll asks all that can be asked of some documents, by the names of the transactions and what they ask for.
func readAll(
	ctx context.Context, s *Store, d *dataset.Dataset, counts [3]int64, each func(name string, answer []byte, err error),
) {
	ask := func(name string, answer []byte, err error) { each(name, answer, err) }
	for i := range counts[dataset.Order] {
		id := brokerage.ID(d.ID(dataset.Order, i))
		answer, err := s.GetOrder(ctx, id)
		ask(fmt.Sprint("get_order ", id), answer, err)
	}
	sectors := make(map[string]bool)
	for i := range counts[dataset.Security] {
		symbol := d.Symbol(int(i))
		answer, err := s.GetSecurity(ctx, symbol)
		ask("get_security "+symbol, answer, err)
		answer, err = s.SecurityPrice(ctx, symbol)
		ask("get_security_price "+symbol, answer, err)
		keys, _ := brokerage.SecurityKeysOf(d.Append(nil, dataset.Security, i))
		sectors[keys.Sector] = true
	}
	for sector := range sectors {
		answer, err := s.SearchSecurities(ctx, brokerage.Search{Sector: sector, PEMax: 1 << 40})
		ask("search_securities "+sector, answer, err)
	}
	for i := range counts[dataset.Customer] {
		id := brokerage.ID(d.ID(dataset.Customer, i))
		for name, query := range map[string]func(context.Context, brokerage.ID) ([]byte, error){
			"customer_profile": s.CustomerProfile, "account_summary": s.AccountSummary,
			"customer_max_order": s.CustomerMaxOrder, "get_customer": s.GetCustomer,
		} {
			answer, err := query(ctx, id)
			ask(fmt.Sprint(name, " ", id), answer, err)
		}
		for a := d.FirstAccount(i); a < d.FirstAccount(i+1); a++ {
			of, err := s.CustomerOf(ctx, brokerage.ID(a))
			ask(fmt.Sprint("customer_of ", a), []byte(of.String()), err)
		}
	}
}

// flip changes a bit of a file in its place.
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

// damageable is a database with some documents that is copied for each flip.
type damageable struct {
	d      *dataset.Dataset
	counts [3]int64
	file   []byte
	path   string
}

func newDamageable(t testing.TB) *damageable {
	t.Helper()
	b := &damageable{d: generator(t, "tiny"), path: filepath.Join(t.TempDir(), "b.db")}
	s := b.open(t)
	b.counts = someDocuments(t, s, b.d)
	require.NoError(t, s.Close())
	var err error
	b.file, err = os.ReadFile(b.path)
	require.NoError(t, err)
	return b
}

func (b *damageable) open(t testing.TB) *Store {
	t.Helper()
	s, err := Open(t.Context(), b.path, Options{Pool: 1})
	require.NoError(t, err)
	return s
}

// restore puts the database in its place as it was.
func (b *damageable) restore(t testing.TB) {
	t.Helper()
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(b.path + suffix); err != nil {
			require.ErrorIs(t, err, fs.ErrNotExist)
		}
	}
	require.NoError(t, os.WriteFile(b.path, b.file, 0o600))
}

// answers returns the right answers.
func (b *damageable) answers(t testing.TB, s *Store) map[string]string {
	t.Helper()
	want := make(map[string]string)
	readAll(t.Context(), s, b.d, b.counts, func(name string, answer []byte, err error) {
		require.NoError(t, err, name)
		want[name] = string(answer)
	})
	return want
}

// change makes a number of writes, which are the same each time.
func (b *damageable) change(ctx context.Context, s *Store, each func(name string, err error)) {
	for i := range b.counts[dataset.Order] {
		id := brokerage.ID(b.d.ID(dataset.Order, i))
		_, err := s.UpdateOrderStatus(ctx, now(), id, "8")
		each(fmt.Sprint("update_order_status ", id), err)
	}
	for i := range b.counts[dataset.Security] {
		_, err := s.UpdateSecurityPrice(ctx, now(), b.d.Symbol(int(i)), brokerage.Price{LastTrade: "12.25"})
		each("update_security_price "+b.d.Symbol(int(i)), err)
	}
	for i := range b.counts[dataset.Customer] {
		_, err := s.Trade(
			ctx, now(), brokerage.ID(b.d.FirstAccount(i)),
			brokerage.Trade{Side: brokerage.Buy, Symbol: b.d.Symbol(int(i)), Quantity: "1"},
		)
		each(fmt.Sprint("buy_security ", b.d.FirstAccount(i)), err)
		id := brokerage.ID(b.d.ID(dataset.Order, b.counts[dataset.Order]+i))
		_, err = s.InsertOrder(ctx, now(), order(b.d, int64(id)))
		each(fmt.Sprint("insert_order ", id), err)
		each(fmt.Sprint("delete_order ", id), s.DeleteOrder(ctx, now(), id))
	}
}

// tried counts what became of flips.
type tried struct{ flips, refused, opened, found, wrong, other int }

func (n *tried) log(t testing.TB) {
	t.Helper()
	t.Logf("%d flips: verify found %d; of %d the database did not open, of %d something was refused as damaged; "+
		"%d wrong answers, %d other errors",
		n.flips, n.found, n.opened, n.refused, n.wrong, n.other)
}

// read reads everything of a damaged database: an answer is right, or refused as damaged.
func (n *tried) read(t testing.TB, s *Store, b *damageable, want map[string]string, what string) {
	t.Helper()
	refused := false
	readAll(t.Context(), s, b.d, b.counts, func(name string, answer []byte, err error) {
		if n.ended(t, err, what+": "+name) {
			refused = true
		} else if err == nil && string(answer) != want[name] {
			n.wrong++
			t.Errorf("%s: %s: a wrong answer: %s", what, name, answer)
		}
	})
	if refused {
		n.refused++
	}
}

// ended reports whether something was refused as damaged; any other error fails the test.
func (n *tried) ended(t testing.TB, err error, what string) (refused bool) {
	t.Helper()
	if _, isDamaged := errors.AsType[*brokerage.Damaged](err); isDamaged {
		return true
	}
	if err != nil {
		n.other++
		t.Errorf("%s: %v", what, err)
	}
	return false
}

func (n *tried) verify(t testing.TB, s *Store) (findings []string) {
	t.Helper()
	_, err := s.Verify(t.Context(), func(f string) error { findings = append(findings, f); return nil }, nil)
	require.NoError(t, err)
	if len(findings) > 0 {
		n.found++
	}
	return findings
}

// One bit of a database is flipped, anywhere in its file: no answer is wrong,
// none says that something is not there, and verify finds it.
func TestDamage(t *testing.T) {
	b := newDamageable(t)
	s := b.open(t)
	want := b.answers(t, s)
	require.NoError(t, s.Close())
	r := rand.New(rand.NewPCG(1, uint64(*flips)))
	var n tried
	for ; n.flips < *flips; n.flips++ {
		bit := r.Int64N(int64(len(b.file)) * 8)
		what := fmt.Sprintf("bit %d of byte %d, in page %d", bit%8, bit/8%4096, bit/8/4096+1)
		b.restore(t)
		served := n.flips%2 == 0 // it happens while the service runs, or before it starts
		if !served {
			flip(t, b.path, bit)
		}
		s, err := Open(t.Context(), b.path, Options{Pool: 1})
		if err != nil {
			require.ErrorAs(t, err, new(*brokerage.Damaged), what)
			n.opened++
			n.found++
			continue
		}
		if served {
			flip(t, b.path, bit)
		}
		n.read(t, s, b, want, what)
		require.NotEmpty(t, n.verify(t, s), what)
		require.NoError(t, s.Close())
	}
	n.log(t)
	require.Positive(t, n.refused)
}

// Writing meets the damage too: it is refused as damaged, never done on what is
// wrong, and what was damaged is so afterwards.
func TestDamage_Writes(t *testing.T) {
	b := newDamageable(t)
	s := b.open(t)
	b.change(t.Context(), s, func(name string, err error) { require.NoError(t, err, name) })
	before, after := map[string]string(nil), b.answers(t, s)
	require.NoError(t, s.Close())
	b.restore(t)
	s = b.open(t)
	before = b.answers(t, s)
	require.NoError(t, s.Close())
	r := rand.New(rand.NewPCG(3, uint64(*flips)))
	var n tried
	for ; n.flips < max(1, *flips/5); n.flips++ {
		bit := r.Int64N(int64(len(b.file)) * 8)
		what := fmt.Sprintf("bit %d of byte %d, in page %d", bit%8, bit/8%4096, bit/8/4096+1)
		b.restore(t)
		s := b.open(t)
		flip(t, b.path, bit)
		refused := make(map[string]bool)
		b.change(t.Context(), s, func(name string, err error) {
			if _, missing := errors.AsType[*brokerage.NotFound](err); missing && refused["insert"+name[len("delete"):]] {
				return // it could not be inserted
			}
			if n.ended(t, err, what+": "+name) {
				refused[name] = true
			}
		})
		readAll(t.Context(), s, b.d, b.counts, func(name string, answer []byte, err error) {
			if !n.ended(t, err, what+": "+name) && string(answer) != after[name] &&
				(len(refused) == 0 || string(answer) != before[name]) {
				n.wrong++
				t.Errorf("%s: %s: a wrong answer: %s", what, name, answer)
			}
		})
		if len(refused) > 0 {
			n.refused++
			require.NotEmpty(t, n.verify(t, s), what)
		}
		require.NoError(t, s.Close())
	}
	n.log(t)
}

// What is damaged in the journal is no answer either, and does not get into the
// database, where it would get a checksum that fits.
func TestDamage_Journal(t *testing.T) {
	b := newDamageable(t)
	change := func(s *Store) {
		b.change(t.Context(), s, func(name string, err error) { require.NoError(t, err, name) })
	}
	s := b.open(t)
	change(s)
	want := b.answers(t, s)
	require.NoError(t, s.Close())
	r := rand.New(rand.NewPCG(2, uint64(*flips)))
	var n tried
	for ; n.flips < max(1, *flips/5); n.flips++ {
		b.restore(t)
		s := b.open(t)
		change(s)
		s.readers.keepSnapshots(false) // and so what is kept of pages goes
		info, err := os.Stat(b.path + "-wal")
		require.NoError(t, err)
		bit := 8*pagesum.JournalHeader + r.Int64N(8*(info.Size()-pagesum.JournalHeader))
		flip(t, b.path+"-wal", bit)
		what := fmt.Sprintf("bit %d of frame %d", bit, (bit/8-pagesum.JournalHeader)/(4096+pagesum.FrameHeader)+1)
		refused := n.refused
		n.read(t, s, b, want, what)
		if n.refused > refused {
			require.NotEmpty(t, n.verify(t, s), what)
			db, err := OpenFile(b.path)
			require.NoError(t, err)
			_, err = db.ExecContext(t.Context(), "PRAGMA wal_checkpoint(FULL)")
			require.True(t, isDamage(err), "%s: %v", what, err)
			require.NoError(t, db.Close())
		}
		_ = s.Close()
	}
	n.log(t)
	require.Positive(t, n.refused)
}

// A journal that a killed process left is read at the next start. What is damaged in it is no reason to forget what was
// acknowledged after it; what was torn at its end, is.
func TestDamage_JournalOfAKilled(t *testing.T) {
	b := newDamageable(t)
	s := b.open(t)
	b.change(t.Context(), s, func(name string, err error) { require.NoError(t, err, name) })
	want := b.answers(t, s)
	journal, err := os.ReadFile(b.path + "-wal")
	require.NoError(t, err)
	file, err := os.ReadFile(b.path)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	b.file = file
	killed := func(journal []byte) (*Store, error) {
		b.restore(t)
		require.NoError(t, os.WriteFile(b.path+"-wal", journal, 0o600))
		return Open(t.Context(), b.path, Options{Pool: 1})
	}
	const frame = pagesum.FrameHeader + 4096
	for _, torn := range []int{0, 100, frame, 3*frame + 1000} {
		s, err := killed(journal[:len(journal)-torn])
		require.NoError(t, err)
		if torn == 0 {
			require.Equal(t, want, b.answers(t, s))
		}
		require.NoError(t, s.Close())
	}
	tail := slices.Concat(journal[:len(journal)-2*frame], make([]byte, frame), journal[len(journal)-frame:])
	s, err = killed(tail)
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
			require.ErrorAs(t, err, new(*brokerage.Damaged), what)
			require.ErrorContains(
				t, err, "does not fit its checksum, and acknowledged transactions follow it", what,
			)
			after, err := os.ReadFile(b.path + "-wal")
			require.NoError(t, err)
			require.True(t, bytes.Equal(flipped, after), "kept as it is")
			continue
		}
		require.Equal(t, want, b.answers(t, s), what)
		require.NoError(t, s.Close())
		t.Errorf("%s makes no difference", what)
	}
}
