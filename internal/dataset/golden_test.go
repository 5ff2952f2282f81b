package dataset_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

var update = flag.Bool("update", false, "rewrite testdata/golden.txt; raise dataset.Version with it")

// Documents must never change while Version stays: databases are loaded on one day and extended on another, by other
// builds on other machines. The file holds checksums of slices at both ends of several scales.
func TestAppend_Golden(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	fmt.Fprintf(&got, "version %d\n", dataset.Version)
	for _, p := range profiles {
		for _, seed := range []uint64{0, 1, 1<<64 - 1} {
			for _, name := range []string{"tiny", "XXXS", "M", "XXL"} {
				d := dataset.New(dataset.Spec{Scale: scale(t, name), Profile: p, Seed: seed})
				for _, k := range dataset.Kinds {
					const n = 50
					fmt.Fprintf(&got, "%s seed %d %s %s first %s last %s\n", p, seed, name, k,
						checksum(d, k, 0, n), checksum(d, k, d.Count(k)-n, n))
				}
			}
		}
	}
	path := filepath.Join("testdata", "golden.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o644))
	}
	require.Equal(t, testenv.Text(t, path), got.String(), "documents changed: raise Version and run with -update")
}

func checksum(d *dataset.Dataset, k dataset.Kind, from, n int64) string {
	h := sha256.New()
	each(d, k, from, n, func(_ int64, doc []byte) {
		h.Write(doc)
		h.Write([]byte{'\n'})
	})
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// A document does not depend on the order of calls, on concurrent calls, or on the contents of the buffer.
func TestAppend_Pure(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		d := open(t, "XL", p)
		for _, k := range dataset.Kinds {
			const n = 64
			docs := make([]string, n)
			each(d, k, d.Count(k)-n, n, func(i int64, doc []byte) { docs[i-d.Count(k)+n] = string(doc) })
			another := open(t, "XL", p)
			var workers sync.WaitGroup
			for worker := range uint64(4) {
				workers.Go(func() {
					for _, j := range rand.New(rand.NewPCG(worker, 0)).Perm(n) {
						i := d.Count(k) - n + int64(j)
						assert.Equal(t, "before"+docs[j], string(d.Append([]byte("before"), k, i)), "%s %d", k, i)
						assert.Equal(t, docs[j], string(another.Append(nil, k, i)), "%s %d", k, i)
					}
				})
			}
			workers.Wait()
		}
	})
}

func TestAppend_SmallerScaleIsPrefix(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		scales := dataset.Scales()[1:] // the documents of tiny are separate
		largest := open(t, "XXL", p)
		for _, s := range scales {
			d := dataset.New(dataset.Spec{Scale: s, Profile: p, Seed: 1})
			for _, k := range dataset.Kinds {
				n := d.Count(k)
				for j := range int64(40) {
					for _, i := range []int64{j, n/2 + j, n - 1 - j} {
						require.Equal(t, string(largest.Append(nil, k, i)), string(d.Append(nil, k, i)), "%s %s %d", s, k, i)
					}
				}
			}
		}
	})
}

// Only references differ in tiny: a customer is the same up to its first holdings, an order except for its symbol and
// its account.
func TestAppend_TinyDiffersInReferencesOnly(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		tiny, large := open(t, "tiny", p), open(t, "S", p)
		for i := range int64(200) {
			a, b := tiny.Append(nil, dataset.Customer, i), large.Append(nil, dataset.Customer, i)
			before, _, _ := strings.Cut(string(a), "<Holdings>")
			require.True(t, strings.HasPrefix(string(b), before))
			a, b = tiny.Append(nil, dataset.Order, i), large.Append(nil, dataset.Order, i)
			require.Equal(t, withoutReferences(b), withoutReferences(a))
		}
	})
}

func withoutReferences(order []byte) string {
	s := string(order)
	for _, name := range []string{"Acct", "Sym"} {
		before, after, _ := strings.Cut(s, " "+name+`="`)
		_, after, _ = strings.Cut(after, `"`)
		s = before + after
	}
	return s
}

func TestAppend_SeedAndProfile(t *testing.T) {
	t.Parallel()
	base := open(t, "tiny", dataset.TPoX2)
	otherSeed := dataset.New(dataset.Spec{Seed: 2})
	otherProfile := open(t, "tiny", dataset.TPoX1)
	for _, k := range dataset.Kinds {
		for i := range int64(20) {
			doc := string(base.Append(nil, k, i))
			require.NotEqual(t, doc, string(otherSeed.Append(nil, k, i)))
			require.NotEqual(t, doc, string(otherProfile.Append(nil, k, i)))
			require.NotEqual(t, doc, string(base.Append(nil, k, i+1)))
		}
	}
}

func TestAppend_OutOfRange(t *testing.T) {
	t.Parallel()
	d := open(t, "tiny", dataset.TPoX2)
	for _, k := range dataset.Kinds {
		require.PanicsWithValue(t, fmt.Sprintf("dataset: no %s %d among %[2]d", k, d.Count(k)),
			func() { d.Append(nil, k, d.Count(k)) })
		require.Panics(t, func() { d.Append(nil, k, -1) })
	}
}

func TestAppend_DoesNotAllocate(t *testing.T) {
	for _, p := range profiles {
		d := open(t, "XXL", p)
		doc := make([]byte, 0, 64<<10)
		for _, k := range dataset.Kinds {
			i := d.Count(k) - 2000
			require.Zero(t, testing.AllocsPerRun(500, func() {
				doc = d.Append(doc[:0], k, i)
				i++
			}), "%s %s", p, k)
		}
	}
}
