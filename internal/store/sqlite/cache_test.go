package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// Sizes of caches: one of a few documents, and one of the whole dataset.
const (
	fewDocuments = 64 << 10
	allDocuments = 64 << 20
)

// The suite runs with copies that are replaced all the time, and without a cache. TestStore keeps all documents.
func TestStore_CacheSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("the suite runs twice more")
	}
	for name, size := range map[string]int64{"None": 0, "Few": fewDocuments} {
		t.Run(name, func(t *testing.T) { storetest.Run(t, suite(size)) })
	}
}

// A counter is a figure of a document that grows with each write, and queries that show it.
type counter struct {
	write   func(n int64) error
	marks   []string // one after the other, before the figure
	queries []func() ([]byte, error)
}

// figureOf returns the whole number after the marks; 0 if there is none.
func (c *counter) figureOf(answer []byte) (n int64) {
	rest := string(answer)
	for _, mark := range c.marks {
		var found bool
		if _, rest, found = strings.Cut(rest, mark); !found {
			return 0
		}
	}
	_, _ = fmt.Sscanf(rest, "%d", &n)
	return n
}

// counters are figures of two securities, of two accounts of one customer, of the greatest order of another, and of an
// order that is inserted again and again.
func counters(ctx context.Context, s *Store) (list []counter) {
	const price, greatest, firstID, changing = 100_000, 1e10, 8_000_000, 7_999_999 // greater than those of the dataset
	for _, symbol := range []string{tiny.Symbol(7), tiny.Symbol(8)} {
		list = append(list, counter{
			func(n int64) error {
				_, err := s.UpdateSecurityPrice(ctx, now(), symbol, tpox.Price{LastTrade: fmt.Sprint(price + n)})
				return err
			},
			[]string{"<LastTrade>100"},
			[]func() ([]byte, error){
				func() ([]byte, error) { return s.SecurityPrice(ctx, symbol) },
				func() ([]byte, error) { return s.GetSecurity(ctx, symbol) },
			},
		})
	}
	owner := int64(10)
	for tiny.FirstAccount(owner+1)-tiny.FirstAccount(owner) < 2 {
		owner++
	}
	customer := customerID(owner)
	for i := range int64(2) {
		account, symbol := tpox.ID(tiny.FirstAccount(owner)+i), tiny.Symbol(int(490+i))
		list = append(list, counter{
			func(int64) error {
				trade := buyOne(0)
				trade.Symbol = symbol
				_, err := s.Trade(ctx, now(), account, trade)
				return err
			},
			[]string{"<Symbol>" + symbol + "<", "<Quantity>"},
			[]func() ([]byte, error){
				func() ([]byte, error) { return s.AccountSummary(ctx, customer) },
				func() ([]byte, error) { return s.GetCustomer(ctx, customer) },
			},
		})
	}
	order := func(id, cash int64) []byte {
		doc := tiny.AppendNewOrder(nil, 1, dataset.NewOrder{ID: id, Account: tiny.FirstAccount(5)})
		return regexp.MustCompile(` Cash="[^"]*"`).ReplaceAll(doc, fmt.Appendf(nil, ` Cash="%d"`, cash))
	}
	insert := func(id, cash int64) error {
		_, err := s.InsertOrder(ctx, now(), order(id, cash))
		return err
	}
	return append(list, counter{
		func(n int64) error { return insert(firstID+n, greatest+n) },
		[]string{` CASH="1000000`},
		[]func() ([]byte, error){func() ([]byte, error) { return s.CustomerMaxOrder(ctx, customerID(5)) }},
	}, counter{
		func(n int64) error {
			if n > 1 {
				if err := s.DeleteOrder(ctx, now(), changing); err != nil {
					return err
				}
			}
			return insert(changing, n)
		},
		[]string{` Cash="`},
		[]func() ([]byte, error){func() ([]byte, error) { return s.GetOrder(ctx, changing) }},
	})
}

// requireCurrent runs writers and readers of the same few documents. It returns an error if a reader sees a figure that
// is older than the last one that was acknowledged before its request began.
func requireCurrent(ctx context.Context, s *Store, writes int64) error {
	var writers, readers sync.WaitGroup
	var over atomic.Bool
	stale := make(chan error, 1)
	report := func(err error) {
		select {
		case stale <- err:
		default:
		}
	}
	for _, c := range counters(ctx, s) {
		var acknowledged atomic.Int64
		writers.Go(func() {
			for n := int64(1); n <= writes; n++ {
				if err := c.write(n); err != nil {
					report(err)
					return
				}
				acknowledged.Store(n)
			}
		})
		for i, query := range c.queries {
			for range 2 {
				readers.Go(func() {
					for !over.Load() {
						least := acknowledged.Load()
						answer, err := query()
						if tpox.Is[*tpox.NotFound](err) {
							runtime.Gosched() // between two inserts
							continue
						}
						if is := c.figureOf(answer); err != nil || is < least {
							report(errors.Join(err, fmt.Errorf("query %d of %s: %d after %d was acknowledged", i, c.marks, is, least)))
							return
						}
						runtime.Gosched() // the writers have work to do
					}
				})
			}
		}
	}
	writers.Wait()
	over.Store(true)
	readers.Wait()
	close(stale)
	return <-stale
}

// What is read is never older than what was acknowledged before, from the cache or not.
func TestCache_NeverStale(t *testing.T) {
	for name, size := range map[string]int64{"None": 0, "Few": fewDocuments, "All": allDocuments} {
		t.Run(name, func(t *testing.T) {
			s := opened(t, tinyDatabase(t), Options{Cache: size})
			require.NoError(t, requireCurrent(t.Context(), s, 40))
			require.Equal(t, size > 0, s.Stats().DocumentHits > 0)
			requireClean(t, s)
		})
	}
	t.Run("Mutant", func(t *testing.T) {
		s := opened(t, tinyDatabase(t), Options{Cache: allDocuments})
		s.cache.changes = newChanges(leastSlots) // where nothing is noted
		require.ErrorContains(t, requireCurrent(t.Context(), s, 40), "was acknowledged")
	})
}

// A document of a transaction that is rolled back is never seen, not even while the transaction runs.
func TestCache_RolledBack(t *testing.T) {
	s := opened(t, tinyDatabase(t), Options{Cache: allDocuments})
	before, err := s.GetOrder(t.Context(), orderID(1))
	require.NoError(t, err)
	requireSame := func() {
		t.Helper()
		for range 2 { // from the database, and then from the cache
			now, err := s.GetOrder(context.Background(), orderID(1))
			require.NoError(t, err)
			require.Equal(t, string(before), string(now))
		}
	}
	failed := errors.New("rolled back")
	require.ErrorIs(t, s.writer.write(t.Context(), func(tx *transaction) error {
		if _, err := tx.exec(updateOrderStatus, int64(orderID(1)), order(int64(orderID(1)))); err != nil {
			return err
		}
		requireSame()
		return failed
	}), failed)
	requireSame()
}

// Each query of a document is answered from the cache the second time, and by nobody when the store is closed or its
// request is over.
func TestCache_Answers(t *testing.T) {
	s := opened(t, tinyDatabase(t), Options{Cache: allDocuments})
	ctx, customer, account := t.Context(), customerID(3), tpox.ID(tiny.FirstAccount(3))
	queries := map[string]func(context.Context) error{
		"get_order":          func(ctx context.Context) error { _, err := s.GetOrder(ctx, orderID(1)); return err },
		"get_security":       func(ctx context.Context) error { _, err := s.GetSecurity(ctx, tiny.Symbol(1)); return err },
		"get_security_price": func(ctx context.Context) error { _, err := s.SecurityPrice(ctx, tiny.Symbol(1)); return err },
		"customer_profile":   func(ctx context.Context) error { _, err := s.CustomerProfile(ctx, customer); return err },
	}
	for name, query := range queries {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, query(ctx))
			before := s.Stats()
			require.NoError(t, query(ctx))
			after := s.Stats()
			require.Equal(t, before.DocumentHits+1, after.DocumentHits)
			require.Equal(t, before.DocumentMisses, after.DocumentMisses)
			require.Equal(t, before.Hits+before.Misses, after.Hits+after.Misses, "SQLite was asked")
			cancelled, cancel := context.WithCancel(ctx)
			cancel()
			require.ErrorIs(t, query(cancelled), context.Canceled)
		})
	}
	t.Run("Trade", func(t *testing.T) { // what it has written is kept
		trade := buyOne(0)
		trade.Symbol = tiny.Symbol(1)
		for range 2 {
			_, err := s.Trade(ctx, now(), account, trade)
			require.NoError(t, err)
		}
		before := s.Stats()
		_, err := s.Trade(ctx, now(), account, trade)
		require.NoError(t, err)
		after := s.Stats()
		require.Equal(t, before.DocumentMisses, after.DocumentMisses)
		require.Equal(t, before.DocumentHits+3, after.DocumentHits) // account, customer and security
		require.Equal(t, before.Hits+before.Misses, after.Hits+after.Misses, "SQLite was asked")
	})
	require.NoError(t, s.Close())
	for name, query := range queries {
		require.ErrorIs(t, query(ctx), errClosed, name)
	}
}

// A statement between groups, such as a change of the schema, invalidates everything.
func TestCache_Control(t *testing.T) {
	s := opened(t, tinyDatabase(t), Options{Cache: allDocuments})
	_, err := s.GetOrder(t.Context(), orderID(1))
	require.NoError(t, err)
	require.NoError(t, s.control(t.Context(), "UPDATE orders SET doc = (SELECT doc FROM orders ORDER BY id DESC LIMIT 1)"))
	got, err := s.GetOrder(t.Context(), orderID(1))
	require.NoError(t, err)
	last, err := s.GetOrder(t.Context(), orderID(tiny.Count(dataset.Order)-1))
	require.NoError(t, err)
	require.Equal(t, string(last), string(got))
}

// A copy answers correctly when the pages of its document are damaged on disk, and verify finds the damage too.
func TestCache_Damage(t *testing.T) {
	b := newDamageable(t)
	b.restore(t)
	written := b.open(t)
	b.write(t, written)
	require.NoError(t, written.Close())
	s := opened(t, b.path, Options{Cache: allDocuments})
	require.Equal(t, b.after, b.answers(t, s))
	const page, bitsOfByte = 4096, 8
	for at := int64(page + page/2); at < int64(len(readFile(t, b.path))); at += page { // every page but the first
		flip(t, b.path, at*bitsOfByte)
	}
	hits := s.Stats().DocumentHits
	readDamaged(t, s, "every page", func(name, answer string) bool { return answer == b.after[name] })
	require.Greater(t, s.Stats().DocumentHits, hits+damageCounts[dataset.Order])
	requireFound(t, s, "every page")
}

// The cache never holds more than its size, as it counts and as the heap shows, and every entry is in order.
func TestCache_Bound(t *testing.T) {
	const size = 16 << 20
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	c, before := newCache(size, newChanges(leastSlots)), heap()
	together(8, func(int) {
		for n := range 20_000 {
			key := documentKey{kind: orders, id: rand.Int64N(50_000)}
			if _, ok := c.get(key); !ok {
				c.put(key, cacheValue{content: make([]byte, rand.IntN(4<<10)), document: key})
			}
			if n%1000 == 0 {
				if _, _, bytes, _ := c.stats(); bytes > size {
					t.Errorf("%d bytes", bytes)
				}
			}
		}
	})
	require.Less(t, heap()-before, uint64(size*5/4))
	_, _, held, limit := c.stats()
	require.LessOrEqual(t, limit, int64(size))
	require.Greater(t, held, limit*9/10)
	for i := range c.shards {
		s, bytes, count := &c.shards[i], int64(0), 0
		for e := s.newest; e != nil; e = e.older {
			require.Same(t, e, s.copies[e.key])
			require.True(t, e.older == nil && e == s.oldest || e.older.newer == e)
			bytes, count = bytes+e.size, count+1
		}
		require.Equal(t, s.bytes, bytes)
		require.Len(t, s.copies, count)
	}
	runtime.KeepAlive(c)
}

// What is used survives a scan of what is read only once; what is too large, or older than what is kept, is not kept.
func TestCache_Keeps(t *testing.T) {
	const size = 1 << 20
	c := newCache(size, newChanges(leastSlots))
	key := func(i int) documentKey { return documentKey{kind: orders, id: int64(i)} }
	const used = 100
	for i := range 10_000 {
		if i < used || i%used != 0 {
			c.put(key(i), cacheValue{content: make([]byte, 1000)})
			continue
		}
		for k := range used {
			_, ok := c.get(key(k))
			require.True(t, ok, k)
		}
	}
	c.put(key(-1), cacheValue{content: make([]byte, size/2)})
	_, ok := c.get(key(-1))
	require.False(t, ok)
	for _, from := range []uint64{2, 1} {
		c.put(key(0), cacheValue{content: []byte{byte(from)}, from: from})
		kept, _ := c.get(key(0))
		require.Equal(t, []byte{2}, kept.content)
	}
	var none *cache
	none.put(key(0), cacheValue{})
	_, ok = none.get(key(0))
	require.False(t, ok)
}

// BenchmarkCache measures a hit, a miss that evicts, and reads of the store that hit.
func BenchmarkCache(b *testing.B) {
	const documents = 10_000
	c := newCache(allDocuments, newChanges(slotsFor(allDocuments)))
	key := func(i int) documentKey { return documentKey{kind: orders, id: int64(i)} }
	doc := make([]byte, 4<<10)
	for i := range documents {
		c.put(key(i), cacheValue{content: doc, document: key(i)})
	}
	b.Run("hit", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				c.get(key(rand.IntN(documents)))
			}
		})
	})
	b.Run("replace", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, ok := c.get(key(documents + i)); !ok {
				c.put(key(documents+i), cacheValue{content: doc, document: key(documents + i)})
			}
		}
	})
	s := opened(b, tinyDatabase(b), Options{Cache: allDocuments})
	for name, query := range map[string]func() ([]byte, error){
		"get_order":          func() ([]byte, error) { return s.GetOrder(b.Context(), orderID(1)) },
		"get_security":       func() ([]byte, error) { return s.GetSecurity(b.Context(), tiny.Symbol(1)) },
		"get_security_price": func() ([]byte, error) { return s.SecurityPrice(b.Context(), tiny.Symbol(1)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := query()
				require.NoError(b, err)
			}
		})
	}
}
