package sqlite

import (
	"context"
	"hash/maphash"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A cache keeps unpacked documents in memory, so that reading them again needs neither SQLite nor the codec. Its size
// is bounded in bytes. It is safe for concurrent use; a nil *cache keeps nothing.
//
// What is kept is a copy with the time at which it was right (see changes). Nobody removes a copy when its document
// changes. Instead, each use checks, as for a kept snapshot, whether a change of the document was noted after that
// time, and if so the document is read again. This is enough:
//
//   - A write is noted before it is committed, so a read that begins after its acknowledgement finds the note and does
//     not use an older copy. Until it is noted it is not committed either, and the older copy is what the database
//     holds.
//   - The time of a copy is taken before the snapshot that it is read from. A change that is committed meanwhile is in
//     the copy and noted as later: the copy is not used, which costs a read, but is not wrong.
//   - What a group has not committed, or has rolled back, is in no snapshot. A writer's own copy is kept when its
//     commit is on disk, with the time of its change: if another write of the same group came later, the copy is not
//     used.
//   - No answer of a query combines copies: each is made of one document. A trade combines copies, and the writer
//     checks all that it has read (see revise).
//   - A change of the schema and the end of a load invalidate everything. The file is restored or replaced while no
//     store is open, and each opening begins with an empty cache. Pages are checked when they are read, so a copy is
//     right even if its page is damaged later, and verify does not use the cache.
//
// When a shard is full, its hand goes from the oldest copy to the newest and removes the first that was not used since
// the hand's last round (SIEVE, by Zhang and others, NSDI 2024). A use only sets a mark, and what is read once leaves
// before what is read again.
type cache struct {
	changes *changes
	seed    maphash.Seed
	shards  []shard // each with its own lock
}

// A cacheValue is a copy of a document, or the customer of an account.
type cacheValue struct {
	content  []byte      // never written to
	packed   int         // size of the document in the database
	id       int64       // of an account: its customer
	from     uint64      // the content is right at this time
	document documentKey // what the content changes with; none for the customer of an account, which is checked
}

type shard struct {
	mu             sync.Mutex
	copies         map[documentKey]*entry
	bytes, limit   int64
	newest, oldest *entry
	hand           *entry // the next to be removed if it is unused; nil: the oldest
	hits, misses   int64

	_ [64]byte // puts the next shard on another cache line
}

type entry struct {
	cacheValue
	key          documentKey
	size         int64 // bytes, all together
	used         bool
	newer, older *entry
}

const (
	// entryBytes is about what an entry takes beside its content, with its place in the map. It is counted, so the limit
	// in bytes also limits the number of entries.
	entryBytes = 288
	// leastShard is the size that a shard has at least if there are several.
	leastShard = 1 << 20
	// largestShare is the part of a shard that one entry may take at most.
	largestShare = 8
	// bytesPerSlot is the size of a cache for each slot of changes: with few slots, each write would make copies of other
	// documents useless.
	bytesPerSlot = 256
)

// slotsFor returns the number of slots of changes for a cache of the given size.
func slotsFor(size int64) int { return int(min(max(size/bytesPerSlot, leastSlots), 1<<20)) }

// newCache returns a cache of the given size in bytes, or nil if that is 0.
func newCache(size int64, changes *changes) *cache {
	if size <= 0 {
		return nil
	}
	n := max(1, min(4*int64(runtime.GOMAXPROCS(0)), size/leastShard))
	c := &cache{changes: changes, seed: maphash.MakeSeed(), shards: make([]shard, n)}
	for i := range c.shards {
		c.shards[i].copies, c.shards[i].limit = make(map[documentKey]*entry), size/n
	}
	return c
}

func (c *cache) shard(key documentKey) *shard {
	return &c.shards[maphash.Comparable(c.seed, key)%uint64(len(c.shards))]
}

// get returns the copy that is kept for a key, if it is still right.
func (c *cache) get(key documentKey) (cacheValue, bool) {
	if c == nil {
		return cacheValue{}, false
	}
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.copies[key]
	switch {
	case e == nil:
	case c.changes.since(e.from, e.document):
		s.remove(e)
	default:
		e.used = true
		s.hits++
		return e.cacheValue, true
	}
	s.misses++
	return cacheValue{}, false
}

// put keeps a copy for a key, unless a newer one is kept.
func (c *cache) put(key documentKey, v cacheValue) {
	if c == nil {
		return
	}
	size := entryBytes + int64(cap(v.content))
	v.content = slices.Clip(v.content) // so that nobody appends to it in place
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.copies[key]
	switch {
	case size > s.limit/largestShare:
		return
	case e == nil:
		s.add(&entry{key: key, cacheValue: v, size: size})
	case e.from <= v.from:
		s.bytes += size - e.size
		e.cacheValue, e.size = v, size
	}
	for s.bytes > s.limit {
		s.evict()
	}
}

func (s *shard) add(e *entry) {
	e.older = s.newest
	if s.newest != nil {
		s.newest.newer = e
	} else {
		s.oldest = e
	}
	s.newest = e
	s.copies[e.key] = e
	s.bytes += e.size
}

func (s *shard) remove(e *entry) {
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		s.newest = e.older
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		s.oldest = e.newer
	}
	if s.hand == e {
		s.hand = e.newer
	}
	delete(s.copies, e.key)
	s.bytes -= e.size
}

// evict removes one entry.
func (s *shard) evict() {
	for {
		if s.hand == nil {
			s.hand = s.oldest
		}
		e := s.hand
		if !e.used {
			s.remove(e) // moves the hand
			return
		}
		e.used = false
		s.hand = e.newer
	}
}

// stats returns how often a copy was found and how often not, the bytes of all copies and their limit.
func (c *cache) stats() (hits, misses, size, limit int64) {
	if c == nil {
		return 0, 0, 0, 0
	}
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		hits, misses, size, limit = hits+s.hits, misses+s.misses, size+s.bytes, limit+s.limit
		s.mu.Unlock()
	}
	return hits, misses, size, limit
}

// kept returns the copy of what a statement returned for a key, if it is still current; none when ctx is done, so that
// the read fails.
func (s *Store) kept(ctx context.Context, st *statement, key any) (cacheValue, bool) {
	if ctx.Err() != nil {
		return cacheValue{}, false
	}
	return s.cache.get(cacheKey(st, key))
}

// keep keeps a copy of what a statement has returned for a key.
func (s *Store) keep(st *statement, key any, v cacheValue) {
	if s.cache == nil {
		return
	}
	if symbol, ok := key.(string); ok {
		key = strings.Clone(symbol) // it may be a part of a request, which would stay in memory
	}
	v.document = keyOf(st.kind, key)
	s.cache.put(cacheKey(st, key), v)
}

// cacheKey returns the key in the cache of what a statement returns for a key.
func cacheKey(st *statement, key any) documentKey { return keyOf(kind(st.name), key) }

// lookup returns the document that a statement finds for a key, unpacked; a missing one is *NotFound.
func (s *Store) lookup(ctx context.Context, get *statement, key any) (v cacheValue, err error) {
	v, ok := s.kept(ctx, get, key)
	if ok {
		return v, nil
	}
	var b []byte
	v.from, err = s.findAt(ctx, get, key, &b)
	if err != nil {
		return v, missing(get, key, err)
	}
	if v.content, err = s.unpack(b); err == nil {
		v.packed = len(b)
		s.keep(get, key, v)
	}
	return v, err
}
