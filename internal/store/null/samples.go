package null

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

const (
	// sampled documents of a kind are enough for one of the mean size, and for the hits.
	sampled = 400
	// searchHits is the mean over the searches of the scenario.
	searchHits = 12
)

// typical returns the document that is nearest to the mean size, and whose answers are nearest to theirs.
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

// search returns the answer to a search: securities of one sector, in order, as many as a search finds. PE and Yield do
// not matter, because for them every security would have to be generated.
func search(d *dataset.Dataset) ([]byte, error) {
	bySector := make(map[string][]tpox.SecurityKeys)
	var doc []byte
	for i := range int64(sampled) {
		doc = d.Append(doc[:0], dataset.Security, i)
		keys, err := tpox.SecurityKeysOf(doc)
		if err != nil {
			return nil, err
		}
		if keys.Sector == "" { // a bond
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
		return tpox.SearchAnswer(len(found), hits), nil
	}
	return nil, fmt.Errorf("no sector has %d of the first %d securities", searchHits, sampled)
}

// trade returns the confirmation of a trade in the first position of an account.
func trade(d *dataset.Dataset, side tpox.Side, customer []byte, account tpox.ID) ([]byte, error) {
	quote := tradedSecurity(d, account)
	t := tpox.Trade{Side: side, Symbol: quote.Symbol, Quantity: "5"}
	_, confirmation, err := t.Apply(tpox.DefaultRules, customer, account, quote)
	return confirmation, err
}

// tradedSecurity returns the quote of the first position of an account, which follows from the account's id.
func tradedSecurity(d *dataset.Dataset, account tpox.ID) tpox.Quote {
	return tpox.QuoteOf(d.Append(nil, dataset.Security, int64(account)%d.Count(dataset.Security)))
}
