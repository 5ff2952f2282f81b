package postgres

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/tpox"
)

// A position is a point in the history of a database: the timeline, which changes with each failover, and the byte of
// the write-ahead log.
type position struct {
	timeline uint32
	lsn      uint64
}

// parseLSN parses a pg_lsn, such as 16/B374D848.
func parseLSN(text string) (uint64, error) {
	high, low, _ := strings.Cut(text, "/")
	h, err := strconv.ParseUint(high, 16, 32)
	l, failed := strconv.ParseUint(low, 16, 32)
	if err != nil || failed != nil {
		return 0, fmt.Errorf("%q is not a position in the log", text)
	}
	return h<<32 | l, nil
}

func parseTimeline(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 16, 32)
	return uint32(n), err //nolint:gosec // it has 32 bits
}

// An identity is what a server is recognised by, and the sizes of its log.
type identity struct {
	system, database string
	inRecovery       bool
	block, segment   uint64
	tag              [tokenTimeline]byte // for the system and the database in a token
}

func readIdentity(row pgx.Row) (i identity, err error) {
	var block, segment int64
	err = row.Scan(&i.system, &i.database, &i.inRecovery, &block, &segment)
	i.block, i.segment = uint64(block), uint64(segment) //nolint:gosec // they are sizes
	sum := sha256.Sum256([]byte(i.system + "/" + i.database))
	copy(i.tag[:], sum[:])
	return i, err
}

// The sizes of the headers that begin each page of the log, and the first page of each of its files.
const (
	pageHeader = 24
	fileHeader = 40
)

// endOfRecord returns the end of the last record before an insert position. If the next record will begin a page, the
// insert position is after the page's header, which a replica reaches only with that record: if the primary is idle,
// perhaps an hour later.
func (i *identity) endOfRecord(lsn uint64) uint64 {
	switch {
	case lsn%i.segment == fileHeader:
		return lsn - fileHeader
	case lsn%i.block == pageHeader:
		return lsn - pageHeader
	}
	return lsn
}

// readPosition reads the answer of the statement write_position.
func (i *identity) readPosition(row pgx.Row) (p position, err error) {
	var timeline, lsn string
	if err := row.Scan(&timeline, &lsn); err != nil {
		return p, err
	}
	if p.timeline, err = parseTimeline(timeline); err != nil {
		return p, err
	}
	p.lsn, err = parseLSN(lsn)
	p.lsn = i.endOfRecord(p.lsn)
	return p, err
}

// The parts of a token: four bytes for the database, so that the token of another one leads to the primary, the
// timeline and the LSN.
const (
	tokenTimeline = 4
	tokenLSN      = 8
)

// token returns the token of a position. That of the zero position is of no timeline, so that only the primary answers
// a read with it.
func (i *identity) token(p position) (t tpox.Token) {
	copy(t[:], i.tag[:])
	binary.BigEndian.PutUint32(t[tokenTimeline:], p.timeline)
	binary.BigEndian.PutUint64(t[tokenLSN:], p.lsn)
	return t
}

// position returns the position of a token, or false for the token of another database.
func (i *identity) position(t tpox.Token) (p position, ok bool) {
	return position{binary.BigEndian.Uint32(t[tokenTimeline:]), binary.BigEndian.Uint64(t[tokenLSN:])},
		[tokenTimeline]byte(t[:]) == i.tag
}

// A sample is where the primary was at a time. Whatever was acknowledged before that time is before the position.
type sample struct {
	at  time.Time
	lsn uint64
}

// maxSamples bounds the history of samples: almost seven minutes of them.
const maxSamples = 2048

// A history is the recent positions of the primary on its current timeline, in ascending order. It tells how old the
// data of a replica are without comparing the clocks of two machines.
type history struct {
	timeline uint32
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
func (h *history) since(t time.Time) (position, bool) {
	i := sort.Search(len(h.samples), func(i int) bool { return !h.samples[i].at.Before(t) })
	if i == len(h.samples) {
		return position{}, false
	}
	return position{h.timeline, h.samples[i].lsn}, true
}

// reached returns the time of the last sample that is not behind a position: data up to that position contain all that
// was acknowledged before. It returns false if every sample is behind the position.
func (h *history) reached(lsn uint64) (time.Time, bool) {
	i := sort.Search(len(h.samples), func(i int) bool { return h.samples[i].lsn > lsn })
	if i == 0 {
		return time.Time{}, false
	}
	return h.samples[i-1].at, true
}
