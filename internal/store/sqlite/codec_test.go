package sqlite

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

func trainedCodec(t testing.TB) *codec {
	t.Helper()
	dictionaries := make(map[kind][]byte)
	for i, k := range dataset.Kinds {
		body, err := trainDictionary(k, uint32(i+1), sample(tiny, k, 100))
		require.NoError(t, err)
		dictionaries[kind(k.String())] = body
	}
	c, err := newCodec(dictionaries, false)
	require.NoError(t, err)
	return c
}

// Every packed document unpacks to itself, whatever its size, and is smaller where possible.
func TestCodec_RoundTrip(t *testing.T) {
	c := trainedCodec(t)
	for _, k := range dataset.Kinds {
		for i := range tiny.Count(k) {
			doc := tiny.Append(nil, k, i)
			packed := c.pack(kind(k.String()), doc)
			require.Less(t, len(packed), len(doc)*6/10)
			got, err := c.unpack(packed)
			require.NoError(t, err)
			require.Equal(t, string(doc), string(got))
		}
		for _, size := range []int{0, 1, 5, 63, 64, 1 << 16, 1 << 20} {
			doc := []byte("<" + strings.Repeat("é<b/>", size/6+1))[:max(size, 1)]
			got, err := c.unpack(c.pack(kind(k.String()), doc))
			require.NoError(t, err)
			require.True(t, bytes.Equal(doc, got), "%s of %d bytes", k, size)
		}
	}
}

// Without dictionaries, and with compression switched off, documents are stored in other forms; all forms can be read
// together.
func TestCodec_Mixed(t *testing.T) {
	c := trainedCodec(t)
	untrained, err := newCodec(nil, false)
	require.NoError(t, err)
	off, err := newCodec(nil, true)
	require.NoError(t, err)
	for _, k := range dataset.Kinds {
		doc := tiny.Append(nil, k, 3)
		for _, packed := range [][]byte{untrained.pack(kind(k.String()), doc), off.pack(kind(k.String()), doc)} {
			got, err := c.unpack(packed)
			require.NoError(t, err)
			require.Equal(t, string(doc), string(got))
		}
	}
}

// A damaged packed document gives an error, or another document, which verify finds; never a panic.
func TestCodec_Damaged(t *testing.T) {
	c := trainedCodec(t)
	r := rand.New(rand.NewPCG(1, 2))
	failed := 0
	for i := range 6000 {
		k := dataset.Kinds[i%len(dataset.Kinds)]
		packed := c.pack(kind(k.String()), tiny.Append(nil, k, int64(i%50)))
		if i%2 == 0 {
			packed = packed[:r.IntN(len(packed))]
		} else {
			packed[1+r.IntN(len(packed)-1)] ^= byte(1 + r.IntN(255))
		}
		if _, err := c.unpack(packed); err != nil {
			failed++
		}
	}
	require.Greater(t, failed, 3000)
	_, err := newCodec(map[kind][]byte{securities: []byte("no dictionary")}, false)
	require.Error(t, err)
	_, err = newCodec(map[kind][]byte{orders: []byte("no dictionary")}, false)
	require.Error(t, err)
}
