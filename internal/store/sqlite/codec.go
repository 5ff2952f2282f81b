package sqlite

import (
	"bytes"

	"github.com/klauspost/compress/zstd"
)

// kind is a kind of documents, which share a dictionary.
type kind string

const (
	orders     kind = "order"
	customers  kind = "customer"
	securities kind = "security"
)

var kinds = [...]kind{securities, customers, orders}

// codec packs the documents of a database. A packed document is a zstd frame,
// or the document itself, which begins with < as no frame does: so documents
// from before the dictionaries were trained, or with compression switched off,
// stand beside the others.
type codec struct {
	off     bool
	quick   map[kind]*zstd.Encoder // for what a client waits for
	dense   map[kind]*zstd.Encoder // for loads: a tenth smaller, at twice the cost
	decoder *zstd.Decoder          // knows all dictionaries
}

// maxDocument bounds what a packed document may claim to be.
const maxDocument = 64 << 20

func newCodec(dictionaries map[kind][]byte, off bool) (*codec, error) {
	c := &codec{off: off, quick: make(map[kind]*zstd.Encoder), dense: make(map[kind]*zstd.Encoder)}
	decoding := []zstd.DOption{
		zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxDocument),
		zstd.WithDecoderLowmem(true),
	}
	for _, k := range kinds {
		d := dictionaries[k]
		if len(d) > 0 {
			decoding = append(decoding, zstd.WithDecoderDicts(d))
		}
		var err error
		if c.quick[k], err = newEncoder(d, zstd.SpeedFastest); err != nil {
			return nil, err
		}
		if c.dense[k], err = newEncoder(d, zstd.SpeedDefault); err != nil {
			return nil, err
		}
	}
	var err error
	c.decoder, err = zstd.NewReader(nil, decoding...)
	return c, err
}

func newEncoder(dictionary []byte, level zstd.EncoderLevel) (*zstd.Encoder, error) {
	options := []zstd.EOption{
		zstd.WithEncoderLevel(level),
		zstd.WithEncoderCRC(false), // SQLite does not check its pages either; verify reads everything
		zstd.WithSingleSegment(true),
		zstd.WithWindowSize(64 << 10),
		zstd.WithLowerEncoderMem(true),
	}
	if len(dictionary) > 0 {
		options = append(options, zstd.WithEncoderDict(dictionary))
	}
	return zstd.NewWriter(nil, options...)
}

// pack makes of a document what is stored.
func (c *codec) pack(k kind, doc []byte) []byte { return c.encode(c.quick[k], doc) }

// packDense is pack for loads.
func (c *codec) packDense(k kind, doc []byte) []byte { return c.encode(c.dense[k], doc) }

func (c *codec) encode(e *zstd.Encoder, doc []byte) []byte {
	if c.off {
		return bytes.Clone(doc) // a caller may use its document's memory again
	}
	return e.EncodeAll(doc, make([]byte, 0, len(doc)/2))
}

func (c *codec) unpack(packed []byte) ([]byte, error) {
	if len(packed) > 0 && packed[0] == '<' {
		return packed, nil
	}
	return c.decoder.DecodeAll(packed, nil)
}
