package zdict

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

const id = 7

func generator(t testing.TB) *dataset.Dataset {
	t.Helper()
	scale, err := dataset.ParseScale("XXXS")
	require.NoError(t, err)
	return dataset.New(dataset.Spec{Scale: scale, Seed: 1})
}

// documents returns n documents of a kind, evenly spread over a dataset; another start gives other ones.
func documents(d *dataset.Dataset, k dataset.Kind, n int, start int64) [][]byte {
	docs := make([][]byte, n)
	for i := range docs {
		docs[i] = d.Append(nil, k, (start+int64(i)*d.Count(k)/int64(n))%d.Count(k))
	}
	return docs
}

var trained = sync.OnceValue(func() [len(dataset.Kinds)][]byte {
	var dictionaries [len(dataset.Kinds)][]byte
	d := generator(&testing.T{})
	for _, k := range dataset.Kinds {
		samples := documents(d, k, 300, 0)
		content, err := dict.BuildRawDict(samples, dict.Options{MaxDictSize: 16 << 10, HashBytes: 6})
		if err == nil {
			dictionaries[k], err = Train(id, content, samples)
		}
		if err != nil {
			panic(err)
		}
	}
	return dictionaries
})

// decoder returns an independent decoder, to check frames with.
func decoder(t testing.TB, dictionary []byte) *zstd.Decoder {
	t.Helper()
	d, err := zstd.NewReader(nil, zstd.WithDecoderDicts(dictionary), zstd.WithDecoderConcurrency(1))
	require.NoError(t, err)
	t.Cleanup(d.Close)
	return d
}

// codec returns an encoder for a dictionary, and a function that requires that a frame of it decodes to a document.
func codec(t testing.TB, dictionary []byte) (e *Encoder, decodes func(t testing.TB, doc, frame []byte)) {
	t.Helper()
	e, err := New(dictionary)
	require.NoError(t, err)
	dec := decoder(t, dictionary)
	return e, func(t testing.TB, doc, frame []byte) {
		t.Helper()
		got, err := dec.DecodeAll(frame, nil)
		require.NoError(t, err)
		require.True(t, bytes.Equal(doc, got), "%q instead of %q", got, doc)
	}
}

// Every generated document is packed, by any number of goroutines, decodes to itself, and is smaller than a general
// encoder makes it with the same dictionary.
func TestEncoder_Documents(t *testing.T) {
	d := generator(t)
	for _, k := range dataset.Kinds {
		t.Run(k.String(), func(t *testing.T) {
			e, decodes := codec(t, trained()[k])
			general, err := zstd.NewWriter(nil, zstd.WithEncoderDict(trained()[k]),
				zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false))
			require.NoError(t, err)
			docs := documents(d, k, 2000, 5)
			frames := make([][]byte, len(docs))
			var packing sync.WaitGroup
			for g := range 8 {
				packing.Go(func() {
					for i := g; i < len(docs); i += 8 {
						frames[i], _ = e.Append([]byte("before"), docs[i])
					}
				})
			}
			packing.Wait()
			packed, otherwise := 0, 0
			for i, doc := range docs {
				frame, ok := bytes.CutPrefix(frames[i], []byte("before"))
				require.True(t, ok)
				decodes(t, doc, frame)
				packed += len(frame)
				otherwise += len(general.EncodeAll(doc, nil))
			}
			require.Less(t, packed, otherwise)
		})
	}
}

// Arbitrary bytes decode to themselves, whatever was packed with the same memory before.
func TestEncoder_AnyBytes(t *testing.T) {
	d := generator(t)
	dictionary := trained()[dataset.Customer]
	e, decodes := codec(t, dictionary)
	taken := 0
	check := func(doc []byte) {
		t.Helper()
		frame, ok := e.Append(nil, doc)
		if !ok {
			require.Empty(t, frame)
			return
		}
		taken++
		decodes(t, doc, frame)
	}
	customer := d.Append(nil, dataset.Customer, 11)
	for _, doc := range [][]byte{
		nil, []byte("<"), bytes.Repeat([]byte("a"), 64), bytes.Repeat([]byte("a"), maxInput-1),
		bytes.Repeat([]byte("a"), maxInput), bytes.Repeat(customer, 9), []byte(strings.Repeat("ab", 40)),
		dictionary[len(dictionary)-3000:], dictionary[200:8000], bytes.Repeat([]byte("\u00e4\u4e2d\U0001F600"), 300),
	} {
		check(doc)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		// Pieces of documents, of the dictionary and of noise, in any order.
		var doc []byte
		for range 1 + r.IntN(40) {
			from := [][]byte{customer, dictionary, doc}[r.IntN(3)]
			if len(from) > 0 && r.IntN(4) > 0 {
				at := r.IntN(len(from))
				doc = append(doc, from[at:min(at+1+r.IntN(300), len(from))]...)
			} else {
				for range r.IntN(30) {
					doc = append(doc, byte(r.Uint32()))
				}
			}
		}
		check(doc)
	}
	require.Greater(t, taken, 1500)
}

// The reference implementation reads the frames as well.
func TestEncoder_Zstd(t *testing.T) {
	zstd := testenv.Command(t, "zstd")
	d := generator(t)
	for _, k := range dataset.Kinds {
		e, _ := codec(t, trained()[k])
		doc := d.Append(nil, k, 42)
		frame, ok := e.Append(nil, doc)
		require.True(t, ok)
		path := filepath.Join(t.TempDir(), "packed")
		require.NoError(t, os.WriteFile(path+".dict", trained()[k], 0o600))
		require.NoError(t, os.WriteFile(path+".zst", frame, 0o600))
		cmd := exec.CommandContext(t.Context(), zstd, "-d", "-q", "-c", "-D", path+".dict", path+".zst")
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, string(doc), string(out))
	}
}

// Dictionaries of other trainers work, too; documents with symbols that their tables lack are refused.
func TestNew_OtherTrainer(t *testing.T) {
	d := generator(t)
	dictionary, err := dict.BuildZstdDict(documents(d, dataset.Order, 300, 0),
		dict.Options{MaxDictSize: 16 << 10, HashBytes: 6, ZstdDictID: id, ZstdLevel: zstd.SpeedDefault})
	require.NoError(t, err)
	e, decodes := codec(t, dictionary)
	for _, doc := range documents(d, dataset.Order, 300, 5) {
		if frame, ok := e.Append(nil, doc); ok {
			decodes(t, doc, frame)
		}
	}
	_, ok := e.Append(nil, []byte(strings.Repeat("\x01\x02 no sample has these bytes ", 20)))
	require.False(t, ok)
}

func TestNew_Damaged(t *testing.T) {
	whole := trained()[dataset.Order]
	for _, n := range []int{0, 3, 8, 9, 60, len(whole) - 16<<10} {
		_, err := New(whole[:min(n, len(whole))])
		require.ErrorIs(t, err, errDictionary, "%d bytes", n)
	}
	for at := range 300 { // an error, or another dictionary, but no panic
		b := bytes.Clone(whole)
		b[at] ^= 0x55
		if e, err := New(b); err == nil {
			e.Append(nil, bytes.Repeat([]byte("<Order/>"), 20))
		}
	}
	for _, c := range []struct {
		id      uint32
		content []byte
	}{{0, whole}, {1, whole[:10]}, {1, make([]byte, maxContent+1)}} { // longer than an index can address
		_, err := Train(c.id, c.content, nil)
		require.Error(t, err)
	}
	_, err := New(append(bytes.Clone(whole), make([]byte, maxContent)...))
	require.ErrorIs(t, err, errDictionary)
}

func FuzzEncoder_Append(f *testing.F) {
	d := generator(f)
	e, decodes := codec(f, trained()[dataset.Security])
	for i := range int64(5) {
		f.Add(d.Append(nil, dataset.Security, i))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if frame, ok := e.Append(nil, doc); ok {
			decodes(t, doc, frame)
		}
	})
}

func BenchmarkEncoder(b *testing.B) {
	for _, k := range []dataset.Kind{dataset.Order, dataset.Customer} {
		docs := documents(generator(b), k, 100, 5)
		e, err := New(trained()[k])
		require.NoError(b, err)
		b.Run(k.String(), func(b *testing.B) {
			b.ReportAllocs()
			buf, raw, packed := make([]byte, 0, 128<<10), 0, 0
			for i := 0; b.Loop(); i++ {
				doc := docs[i%len(docs)]
				frame, _ := e.Append(buf, doc)
				raw, packed = raw+len(doc), packed+len(frame)
			}
			b.ReportMetric(100*float64(packed)/float64(raw), "%packed")
		})
	}
}
