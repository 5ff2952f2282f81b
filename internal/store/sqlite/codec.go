package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync/atomic"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// A kind is a kind of documents, which share a dictionary, or of other data that changes (see settings).
type kind string

const (
	orders     kind = "order"
	customers  kind = "customer"
	securities kind = "security"
)

var kinds = [...]kind{securities, customers, orders}

// A codec packs the documents of a database. The first byte of a packed document shows its form, one of three: a frame
// of zstd, which ends with a checksum of the document; a block of S2, after a mark and a checksum of the document; the
// document itself, if it was stored with compression switched off.
//
// Orders, which are most of the data, are packed by zstd. S2 packs customers and securities a fifth larger, but
// unpacks them in half the time. Without a dictionary, all are packed by zstd.
type codec struct {
	off     bool
	zstd    map[kind]*zstd.Encoder
	s2      map[kind]*s2.Dict
	decoder *zstd.Decoder // with the dictionary of orders
}

const (
	plainMark = '<'
	s2Mark    = 's' // differs from '(', with which a frame of zstd begins
	s2Head    = 1 + crc32.Size

	// maxDocument bounds the size that a packed document may claim.
	maxDocument = 64 << 20
	// packLevel is zstd's fastest: it takes half the time of the next level, and its output is 5 % larger.
	packLevel = zstd.SpeedFastest
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newCodec returns a codec with a dictionary for each kind that has one.
func newCodec(dictionaries map[kind][]byte, off bool) (*codec, error) {
	c := &codec{off: off, zstd: make(map[kind]*zstd.Encoder), s2: make(map[kind]*s2.Dict)}
	decoding := []zstd.DOption{
		zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxDocument),
		zstd.WithDecoderLowmem(true),
	}
	var err error
	for _, k := range kinds {
		encoding := []zstd.EOption{
			zstd.WithEncoderLevel(packLevel),
			zstd.WithEncoderCRC(true),
			zstd.WithSingleSegment(true),
			zstd.WithWindowSize(64 << 10),
			zstd.WithLowerEncoderMem(true),
		}
		switch d := dictionaries[k]; {
		case len(d) == 0:
		case k == orders:
			encoding = append(encoding, zstd.WithEncoderDict(d))
			decoding = append(decoding, zstd.WithDecoderDicts(d))
		default:
			if c.s2[k] = s2.NewDict(d); c.s2[k] == nil {
				return nil, fmt.Errorf("the dictionary of kind %s is damaged", k)
			}
			continue
		}
		if c.zstd[k], err = zstd.NewWriter(nil, encoding...); err != nil {
			return nil, fmt.Errorf("the dictionary of kind %s: %w", k, err)
		}
	}
	c.decoder, err = zstd.NewReader(nil, decoding...)
	return c, err
}

// trainDictionary returns a dictionary for a kind of documents, trained with samples of that kind.
func trainDictionary(k kind, samples [][]byte) ([]byte, error) {
	options := dict.Options{MaxDictSize: 48 << 10, HashBytes: 8, ZstdDictID: 1, ZstdLevel: packLevel}
	if k == orders {
		return dict.BuildZstdDict(samples, options)
	}
	return dict.BuildS2Dict(samples, options)
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
	dictionary := c.s2[k]
	if dictionary == nil {
		return c.zstd[k].EncodeAll(doc, make([]byte, 0, len(doc)/2))
	}
	room := make([]byte, s2Head+s2.MaxEncodedLen(len(doc)))
	room[0] = s2Mark
	binary.LittleEndian.PutUint32(room[1:], crc32.Checksum(doc, castagnoli))
	block := dictionary.EncodeBetter(room[s2Head:], doc)
	return bytes.Clone(room[:s2Head+len(block)]) // without the spare room
}

// unpack returns the document, or an error if it is damaged. One stored without compression has no checksum.
func (c *codec) unpack(k kind, packed []byte) ([]byte, error) {
	switch {
	case len(packed) == 0:
		return nil, errors.New("it is empty")
	case packed[0] == plainMark:
		return packed, nil
	case packed[0] != s2Mark || c.s2[k] == nil:
		return c.decoder.DecodeAll(packed, nil)
	case len(packed) < s2Head:
		return nil, errors.New("it is cut off")
	}
	size, err := s2.DecodedLen(packed[s2Head:])
	if err == nil && size > maxDocument {
		err = s2.ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	doc, err := c.s2[k].Decode(make([]byte, size), packed[s2Head:])
	if err == nil && crc32.Checksum(doc, castagnoli) != binary.LittleEndian.Uint32(packed[1:]) {
		err = errors.New("it does not match its checksum")
	}
	return doc, err
}
