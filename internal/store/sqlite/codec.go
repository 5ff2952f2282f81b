package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"
)

// A kind is a kind of documents, which share a dictionary.
type kind string

const (
	orders     kind = "order"
	customers  kind = "customer"
	securities kind = "security"
)

var kinds = [...]kind{securities, customers, orders}

// A codec packs the documents of a database. A packed document is a zstd frame, which ends with a checksum of the
// document, or the document itself, if it was stored with compression switched off. The first byte shows which.
type codec struct {
	off      bool
	encoders map[kind]*zstd.Encoder
	decoder  *zstd.Decoder // with all dictionaries
}

const (
	plainMark = '<' // a frame of zstd begins with (

	// maxDocument bounds the size that a packed document may claim.
	maxDocument = 64 << 20
)

// newCodec returns a codec with a dictionary for each kind that has one.
func newCodec(dictionaries map[kind][]byte, off bool) (*codec, error) {
	c := &codec{off: off, encoders: make(map[kind]*zstd.Encoder)}
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
		if d := dictionaries[k]; len(d) > 0 {
			encoding = append(encoding, zstd.WithEncoderDict(d))
			decoding = append(decoding, zstd.WithDecoderDicts(d))
		}
		if c.encoders[k], err = zstd.NewWriter(nil, encoding...); err != nil {
			return nil, fmt.Errorf("the dictionary of kind %s: %w", k, err)
		}
	}
	c.decoder, err = zstd.NewReader(nil, decoding...)
	return c, err
}

// packLevel packs a twentieth larger than the next level, in half the time.
const packLevel = zstd.SpeedFastest

// trainDictionary returns a dictionary for the kind of documents of which there are samples.
func trainDictionary(id uint32, samples [][]byte) ([]byte, error) {
	return dict.BuildZstdDict(samples, dict.Options{
		MaxDictSize: 48 << 10, HashBytes: 8, ZstdDictID: id, ZstdLevel: packLevel,
	})
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
	return c.encoders[k].EncodeAll(doc, make([]byte, 0, len(doc)/2))
}

// unpack returns the document, or an error if it does not match its checksum.
func (c *codec) unpack(packed []byte) ([]byte, error) {
	switch {
	case len(packed) == 0:
		return nil, errors.New("it is empty")
	case packed[0] == plainMark:
		return packed, nil
	}
	return c.decoder.DecodeAll(packed, nil)
}
