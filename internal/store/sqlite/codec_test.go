package sqlite

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

func trainedCodec(t testing.TB) *codec {
	t.Helper()
	dictionaries := make(map[kind][]byte)
	for _, k := range dataset.Kinds {
		body, err := trainDictionary(kind(k.String()), sample(tiny, k, 100))
		require.NoError(t, err)
		dictionaries[kind(k.String())] = body
	}
	c, err := newCodec(dictionaries, false)
	require.NoError(t, err)
	return c
}

// Every document is the same after packing and unpacking, whatever its size, and a generated one shrinks to less than
// 60 %. The same codec unpacks what was packed without dictionaries or with compression switched off.
func TestCodec_RoundTrip(t *testing.T) {
	c := trainedCodec(t)
	untrained, err := newCodec(nil, false)
	require.NoError(t, err)
	off, err := newCodec(nil, true)
	require.NoError(t, err)
	for _, k := range kinds {
		doc := tiny.Append(nil, dataset.Kinds[indexOf(k)], 3)
		require.Less(t, len(c.pack(k, doc)), len(doc)*6/10)
		docs := [][]byte{doc}
		for _, size := range []int{1, 5, 63, 64, 1 << 16, 1 << 20} {
			docs = append(docs, []byte("<" + strings.Repeat("é<b/>", size/6+1))[:size])
		}
		for _, doc := range docs {
			for _, packer := range []*codec{c, untrained, off} {
				got, err := c.unpack(k, packer.pack(k, doc))
				require.NoError(t, err)
				require.True(t, bytes.Equal(doc, got), "%s of %d bytes", k, len(doc))
			}
		}
	}
}

// A damaged packed document is refused or unpacks unchanged, and is never taken for another document.
func TestCodec_Damaged(t *testing.T) {
	c := trainedCodec(t)
	for _, k := range dataset.Kinds {
		doc := tiny.Append(nil, k, 7)
		packed := c.pack(kind(k.String()), doc)
		for n := range packed {
			_, err := c.unpack(kind(k.String()), packed[:n])
			require.Error(t, err, "%s cut off after %d bytes", k, n)
		}
		harmless := 0
		for bit := range 8 * len(packed) {
			packed[bit/8] ^= 1 << (bit % 8)
			if got, err := c.unpack(kind(k.String()), packed); err == nil {
				require.Equal(t, string(doc), string(got), "%s with bit %d flipped", k, bit)
				harmless++
			}
			packed[bit/8] ^= 1 << (bit % 8)
		}
		require.Less(t, harmless, 20, "the format has a few bits without a meaning")
	}
	for _, k := range kinds {
		_, err := newCodec(map[kind][]byte{k: []byte("no dictionary")}, false)
		require.Error(t, err)
	}
}
