package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"brokerage/internal/zdict"
)

// A kind is a kind of documents, which share a dictionary.
type kind string

const (
	orders     kind = "order"
	customers  kind = "customer"
	securities kind = "security"
)

var kinds = [...]kind{securities, customers, orders}

// A codec packs the documents of a database. A packed document is a zstd frame, a block of S2 after its mark, or the
// document itself, if it was stored before the dictionaries were trained or with compression switched off. The first
// byte shows which.
//
// Securities are packed by S2: half of each is prose, which zstd takes twice as long to unpack, they are read most, and
// there are always the same few of them.
type codec struct {
	off     bool
	prose   *s2.Dict                // for securities
	small   map[kind]*zdict.Encoder // for nearly all other documents
	general map[kind]*zstd.Encoder  // for the rest
	decoder *zstd.Decoder           // with all dictionaries of zstd
}

const (
	plainMark = '<'
	s2Mark    = 's' // a frame of zstd begins with (

	// maxDocument bounds the size that a packed document may claim.
	maxDocument = 64 << 20
)

var errPacked = errors.New("not a packed document")

func newCodec(dictionaries map[kind][]byte, off bool) (*codec, error) {
	c := &codec{off: off, small: make(map[kind]*zdict.Encoder), general: make(map[kind]*zstd.Encoder)}
	decoding := []zstd.DOption{
		zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxDocument),
		zstd.WithDecoderLowmem(true),
	}
	for _, k := range kinds {
		encoding := []zstd.EOption{
			zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithEncoderCRC(false), // pages have checksums
			zstd.WithSingleSegment(true),
			zstd.WithWindowSize(64 << 10),
			zstd.WithLowerEncoderMem(true),
		}
		var err error
		switch d := dictionaries[k]; {
		case len(d) == 0:
		case k == securities:
			if c.prose = s2.NewDict(d); c.prose == nil {
				return nil, fmt.Errorf("the dictionary of kind %s is damaged", k)
			}
		default:
			if c.small[k], err = zdict.New(d); err != nil {
				return nil, fmt.Errorf("the dictionary of kind %s: %w", k, err)
			}
			decoding = append(decoding, zstd.WithDecoderDicts(d))
			encoding = append(encoding, zstd.WithEncoderDict(d))
		}
		if c.general[k], err = zstd.NewWriter(nil, encoding...); err != nil {
			return nil, err
		}
	}
	var err error
	c.decoder, err = zstd.NewReader(nil, decoding...)
	return c, err
}

// A packing counts the documents packed since the store was opened, and their bytes before and after.
type packing struct{ documents, raw, stored atomic.Int64 }

// pack packs a document and counts it.
func (s *Store) pack(k kind, doc []byte) []byte {
	packed := s.codec.Load().pack(k, doc)
	p := &s.packed[slices.Index(kinds[:], k)]
	p.documents.Add(1)
	p.raw.Add(int64(len(doc)))
	p.stored.Add(int64(len(packed)))
	return packed
}

// pack packs a document into new memory.
func (c *codec) pack(k kind, doc []byte) []byte {
	if c.off {
		return bytes.Clone(doc) // the caller may reuse the memory of the document
	}
	if k == securities && c.prose != nil {
		return c.packProse(doc)
	}
	dst := make([]byte, 0, len(doc)/2)
	if small := c.small[k]; small != nil {
		if packed, ok := small.Append(dst, doc); ok {
			return packed
		}
	}
	return c.general[k].EncodeAll(doc, dst)
}

func (c *codec) packProse(doc []byte) []byte {
	room := make([]byte, 1+s2.MaxEncodedLen(len(doc)))
	block := c.prose.EncodeBetter(room[1:], doc)
	room[0] = s2Mark
	return bytes.Clone(room[:1+len(block)]) // without the spare room
}

func (c *codec) unpack(packed []byte) ([]byte, error) {
	switch {
	case len(packed) > 0 && packed[0] == plainMark:
		return packed, nil
	case len(packed) > 0 && packed[0] == s2Mark && c.prose != nil:
		size, err := s2.DecodedLen(packed[1:])
		if err != nil || size > maxDocument {
			return nil, errPacked
		}
		return c.prose.Decode(make([]byte, size), packed[1:])
	default:
		return c.decoder.DecodeAll(packed, nil)
	}
}
