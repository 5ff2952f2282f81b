package postgres

import (
	"context"
	"encoding/binary"
	"math/bits"
	"regexp"
	"sort"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"brokerage/internal/tpox"
)

// entries are the nodes of a cluster that the URL names, with a pool for each. A statement is sent to the node that
// has the rows of its key: any other node would have to ask that one. But every node can answer, so outdated places
// of shards do no harm.
type entries struct {
	pools  []*pgxpool.Pool
	tables map[string]string // by the name of a statement, whose first argument is the table's key
	next   atomic.Int64      // pool of a statement without a key
	places atomic.Pointer[places]
	looked atomic.Int64 // when places was last read, in Unix time
}

// places are where the shards are. A group is a node, or a primary with its standbys.
type places struct {
	shards map[string][]shard // of a table, in ascending order
	pools  map[int]*pgxpool.Pool
}

type shard struct {
	last  int32 // its greatest hash
	group int
}

// lookEvery is how often the places of shards are read. They change when shards are moved.
const lookEvery = 30 * time.Second

// divided finds the table of a statement. The first argument, unless it is a list, is the key in that table.
var divided = regexp.MustCompile(
	`\bbrokerage\.(customers|orders|accounts|account_orders|securities|answers|once_slots)\b`)

// openEntries returns the entries of a configuration, nil if the URL names one host only. Each gets its share of the
// pool's limit of connections, but at least two.
func openEntries(ctx context.Context, config *pgxpool.Config) (*entries, error) {
	hosts := hostsOf(config.ConnConfig)
	if len(hosts) < 2 {
		return nil, nil //nolint:nilnil // then there is nothing to choose
	}
	e := &entries{tables: make(map[string]string)}
	for name, text := range statements {
		if found := divided.FindStringSubmatch(text); found != nil {
			e.tables[name] = found[1]
		}
	}
	for _, tries := range hosts {
		c := config.Copy()
		c.MaxConns = max(2, (config.MaxConns+int32(len(hosts))-1)/int32(len(hosts))) //nolint:gosec // a few hosts
		c.MinConns = min(c.MinConns, c.MaxConns)
		c.BeforeConnect = func(ctx context.Context, c *pgx.ConnConfig) error {
			c.Host, c.Port, c.TLSConfig, c.Fallbacks = tries[0].Host, tries[0].Port, tries[0].TLSConfig, tries[1:]
			return freshPassword(ctx, c)
		}
		pool, err := pgxpool.NewWithConfig(ctx, c)
		if err != nil {
			e.close()
			return nil, err
		}
		e.pools = append(e.pools, pool)
	}
	return e, nil
}

// of returns the pool for a statement.
func (e *entries) of(statement string, args []any) *pgxpool.Pool {
	now := time.Now().Unix()
	if last := e.looked.Load(); now-last >= int64(lookEvery.Seconds()) && e.looked.CompareAndSwap(last, now) {
		go e.look()
	}
	if p := e.places.Load(); p != nil && len(args) > 0 {
		hash, ok := hashOf(args[0])
		shards := p.shards[e.tables[statement]]
		i := sort.Search(len(shards), func(i int) bool { return shards[i].last >= hash })
		if ok && i < len(shards) && p.pools[shards[i].group] != nil {
			return p.pools[shards[i].group]
		}
	}
	return e.pools[int(e.next.Add(1)-1)%len(e.pools)]
}

// look reads where the shards are, and which node each pool is connected to. A pool whose host was down may be
// connected to the node of another pool; then the connections of both are closed, and new ones try their own host
// first. If the shards cannot be read, the previous places stay.
func (e *entries) look() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p := &places{shards: make(map[string][]shard), pools: make(map[int]*pgxpool.Pool)}
	for _, pool := range e.pools {
		var group int
		if pool.QueryRow(ctx, "SELECT groupid FROM pg_dist_local_group").Scan(&group) != nil {
			continue
		}
		if other := p.pools[group]; other != nil {
			other.Reset()
			pool.Reset()
		}
		p.pools[group] = pool
	}
	rows, _ := e.pools[0].Query(ctx, `SELECT c.relname, s.shardmaxvalue::int, p.groupid
		FROM pg_dist_shard AS s JOIN pg_dist_placement AS p USING (shardid) JOIN pg_class AS c ON c.oid = s.logicalrelid
		WHERE c.relnamespace = 'brokerage'::regnamespace AND s.shardmaxvalue IS NOT NULL ORDER BY 2`)
	var table string
	var s shard
	_, err := pgx.ForEachRow(rows, []any{&table, &s.last, &s.group}, func() error {
		p.shards[table] = append(p.shards[table], s)
		return nil
	})
	if err == nil {
		e.places.Store(p)
	}
}

func (e *entries) close() {
	for _, pool := range e.pools {
		pool.Close()
	}
}

// hashOf returns the hash by which rows are divided, as PostgreSQL's hashint8, hashint4 or hashtext computes it on a
// little-endian machine. It returns false for a text of more than maxHashed bytes, and for other types.
func hashOf(key any) (hash int32, ok bool) {
	var bytes []byte
	switch key := key.(type) {
	case tpox.ID:
		low, high := uint32(key), uint32(key>>32) //nolint:gosec // both halves count
		if key < 0 {
			high = ^high
		}
		bytes = binary.LittleEndian.AppendUint32(nil, low^high)
	case int:
		bytes = binary.LittleEndian.AppendUint32(nil, uint32(key)) //nolint:gosec // a slot
	case string:
		bytes = []byte(key)
	default:
		return 0, false
	}
	if len(bytes) > maxHashed {
		return 0, false
	}
	return int32(jenkins(bytes)), true //nolint:gosec // all bits count
}

// maxHashed is how many bytes jenkins can hash: of its twelve bytes, one is reserved for the length.
const maxHashed = 11

// jenkins returns the last word of Bob Jenkins' hash lookup3 with PostgreSQL's seed, for at most maxHashed bytes.
func jenkins(key []byte) uint32 {
	var words [12]byte
	copy(words[:], key)
	seed := 0x9e3779b9 + uint32(len(key)) + 3923095 //nolint:gosec // it is short
	a := seed + binary.LittleEndian.Uint32(words[0:])
	b := seed + binary.LittleEndian.Uint32(words[4:])
	c := seed + binary.LittleEndian.Uint32(words[8:])<<8
	c = (c ^ b) - bits.RotateLeft32(b, 14)
	a = (a ^ c) - bits.RotateLeft32(c, 11)
	b = (b ^ a) - bits.RotateLeft32(a, 25)
	c = (c ^ b) - bits.RotateLeft32(b, 16)
	a = (a ^ c) - bits.RotateLeft32(c, 4)
	b = (b ^ a) - bits.RotateLeft32(a, 14)
	return (c ^ b) - bits.RotateLeft32(b, 24)
}
