package sqlite

import (
	"bytes"

	"github.com/klauspost/compress/zstd"

	"brokerage/internal/zdict"
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
	small   map[kind]*zdict.Encoder // for nearly every document
	general map[kind]*zstd.Encoder  // for the rest
	decoder *zstd.Decoder           // knows all dictionaries
}

// maxDocument bounds what a packed document may claim to be.
const maxDocument = 64 << 20

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
			zstd.WithEncoderCRC(false), // SQLite does not check its pages either; verify reads everything
			zstd.WithSingleSegment(true),
			zstd.WithWindowSize(64 << 10),
			zstd.WithLowerEncoderMem(true),
		}
		var err error
		if d := dictionaries[k]; len(d) > 0 {
			if c.small[k], err = zdict.New(d); err != nil {
				return nil, err
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

// pack makes of a document what is stored.
func (c *codec) pack(k kind, doc []byte) []byte {
	if c.off {
		return bytes.Clone(doc) // a caller may use its document's memory again
	}
	dst := make([]byte, 0, len(doc)/2)
	if small := c.small[k]; small != nil {
		if packed, ok := small.Append(dst, doc); ok {
			return packed
		}
	}
	return c.general[k].EncodeAll(doc, dst)
}

func (c *codec) unpack(packed []byte) ([]byte, error) {
	if len(packed) > 0 && packed[0] == '<' {
		return packed, nil
	}
	return c.decoder.DecodeAll(packed, nil)
}
