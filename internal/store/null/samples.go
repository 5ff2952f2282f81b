package null

import (
	"cmp"
	"math"
	"slices"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// must panics for an error, which a document of the generator never causes.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const (
	// sampled is how many documents of a kind are searched for one of the mean size.
	sampled = 400
	// searchHits is the mean number of hits of the scenario's searches.
	searchHits = 12
)

// typical returns the document whose size, and the sizes of whose answers, are nearest to the means.
func typical(d *dataset.Dataset, k dataset.Kind, answers ...func([]byte) []byte) []byte {
	sizes := make([][]float64, sampled)
	means := make([]float64, 1+len(answers))
	means[0] = d.MeanSize(k)
	var doc []byte
	for i := range sizes {
		doc = d.Append(doc[:0], k, int64(i))
		sizes[i] = append(sizes[i], float64(len(doc)))
		for j, answer := range answers {
			size := float64(len(answer(doc)))
			sizes[i] = append(sizes[i], size)
			means[1+j] += size / sampled
		}
	}
	best, least := 0, math.Inf(1)
	for i := range sizes {
		off := 0.0
		for j, mean := range means {
			off = max(off, math.Abs(sizes[i][j]/mean-1))
		}
		if off < least {
			best, least = i, off
		}
	}
	return d.Append(nil, k, int64(best))
}

// search returns the answer to a search: searchHits securities of one sector, sorted by symbol. It ignores PE and
// yield: to select by them, every security would have to be generated.
func search(d *dataset.Dataset) []byte {
	bySector := make(map[string][]tpox.SecurityKeys)
	for i := int64(0); ; i++ {
		keys := must(tpox.SecurityKeysOf(d.Append(nil, dataset.Security, i)))
		if keys.Sector == "" { // some funds have none
			continue
		}
		bySector[keys.Sector] = append(bySector[keys.Sector], keys)
		found := bySector[keys.Sector]
		if len(found) < searchHits {
			continue
		}
		slices.SortFunc(found, func(a, b tpox.SecurityKeys) int { return cmp.Compare(a.Symbol, b.Symbol) })
		var hits []byte
		for _, hit := range found {
			hits = tpox.AppendHit(hits, hit)
		}
		return tpox.SearchAnswer(len(found), hits)
	}
}
