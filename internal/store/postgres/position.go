package postgres

import (
	"crypto/sha256"
	"encoding/binary"
	"sort"
	"time"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/tpox"
)

// A position is a point in the history of a database: the timeline, which changes with each failover, and the byte of
// the write-ahead log.
type position struct{ timeline, lsn int64 }

// readPosition reads the row that write_position or replica_state returns.
func readPosition(row pgx.Row) (p position, err error) {
	err = row.Scan(&p.timeline, &p.lsn)
	return p, err
}

// An identity is what a server is recognised by.
type identity struct {
	system, database string
	inRecovery       bool
}

func readIdentity(row pgx.Row) (i identity, err error) {
	err = row.Scan(&i.system, &i.database, &i.inRecovery)
	return i, err
}

// token returns the token of a position: a hash of the database in four bytes, the timeline in four, and the LSN in
// eight. The primary answers reads that require the token of another database or of the zero position, which is on no
// timeline.
func (i *identity) token(p position) (t tpox.Token) {
	sum := sha256.Sum256([]byte(i.system + "/" + i.database))
	copy(t[:4], sum[:])
	binary.BigEndian.PutUint32(t[4:], uint32(p.timeline)) //nolint:gosec // it has 32 bits
	binary.BigEndian.PutUint64(t[8:], uint64(p.lsn))      //nolint:gosec // it is positive
	return t
}

// position returns the position of a token, or false for the token of another database.
func (i *identity) position(t tpox.Token) (p position, ok bool) {
	p.timeline = int64(binary.BigEndian.Uint32(t[4:]))
	p.lsn = int64(binary.BigEndian.Uint64(t[8:])) //nolint:gosec // checked by the comparison
	return p, p.lsn >= 0 && i.token(p) == t
}

// A sample is the primary's LSN at a time. Whatever was acknowledged before that time is before the LSN.
type sample struct {
	at  time.Time
	lsn int64
}

// maxSamples bounds the history of samples: five to seven minutes of them.
const maxSamples = 2048

// A history is the recent positions of the primary on its current timeline, in ascending order. It tells how old the
// data of a replica are without comparing the clocks of two machines.
type history struct {
	timeline int64
	samples  []sample
}

func (h *history) add(at time.Time, p position) {
	if p.timeline != h.timeline {
		h.timeline, h.samples = p.timeline, nil
	}
	if len(h.samples) == maxSamples {
		h.samples = append(h.samples[:0], h.samples[maxSamples/4:]...)
	}
	h.samples = append(h.samples, sample{at, p.lsn})
}

// since returns the first position that was sampled since a time, false if there is none.
func (h *history) since(t time.Time) (lsn int64, ok bool) {
	i := sort.Search(len(h.samples), func(i int) bool { return !h.samples[i].at.Before(t) })
	if i == len(h.samples) {
		return 0, false
	}
	return h.samples[i].lsn, true
}

// age returns how old data up to a position may be: as old as the last sample whose position is not higher, or as the
// first sample if all are higher.
func (h *history) age(lsn int64) time.Duration {
	i := sort.Search(len(h.samples), func(i int) bool { return h.samples[i].lsn > lsn })
	return time.Since(h.samples[max(i-1, 0)].at)
}
