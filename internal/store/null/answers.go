package null

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// answers are all that the store ever gives. Slices are clipped, so that not
// even an append by a caller reaches another's bytes.
type answers struct {
	order, maxOrder, status             []byte
	customer, profile, summary          []byte
	security, price, hits, bought, sold []byte
	owner                               brokerage.ID // of every account
}

const (
	// sampled is how many documents of a kind are looked at: enough for one of
	// the right size, and for the hits.
	sampled = 400
	// searchHits is how many a search finds, as the searches of the scenario do
	// in the mean.
	searchHits = 12
	// newStatus is FIX's "filled".
	newStatus = "2"
)

func makeAnswers(d *dataset.Dataset) (a answers, err error) {
	order := typical(d, dataset.Order, brokerage.Order)
	customer := typical(d, dataset.Customer, brokerage.CustomerProfile, brokerage.AccountSummary)
	security := typical(d, dataset.Security, brokerage.SecurityPrice)
	keys, err := brokerage.CustomerKeysOf(customer)
	if err != nil {
		return a, err
	}
	a = answers{
		order:    brokerage.Order(order),
		maxOrder: brokerage.MaxOrder(keys.ID, order),
		customer: customer,
		profile:  brokerage.CustomerProfile(customer),
		summary:  brokerage.AccountSummary(customer),
		security: security,
		price:    brokerage.SecurityPrice(security),
		owner:    keys.ID,
	}
	if _, a.status, err = brokerage.SetOrderStatus(order, newStatus); err != nil {
		return a, err
	}
	if a.hits, err = search(d); err != nil {
		return a, err
	}
	if a.bought, err = trade(d, brokerage.Buy, customer, keys.Accounts[0]); err != nil {
		return a, err
	}
	if a.sold, err = trade(d, brokerage.Sell, customer, keys.Accounts[0]); err != nil {
		return a, err
	}
	for _, b := range []*[]byte{
		&a.order, &a.maxOrder, &a.status, &a.customer, &a.profile, &a.summary, &a.security, &a.price, &a.hits, &a.bought, &a.sold,
	} {
		*b = slices.Clip(*b)
	}
	return a, nil
}

// typical gives the document that is, and whose answers are, nearest to the mean
// size.
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

// search gives as many securities of one sector as a search finds. They are of
// the right sector, number and order; PE and Yield are not looked at, because
// that would mean to generate every security.
func search(d *dataset.Dataset) ([]byte, error) {
	bySector := make(map[string][]brokerage.SecurityKeys)
	var doc []byte
	for i := range int64(sampled) {
		doc = d.Append(doc[:0], dataset.Security, i)
		keys, err := brokerage.SecurityKeysOf(doc)
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
		slices.SortFunc(found, func(a, b brokerage.SecurityKeys) int { return cmp.Compare(a.Symbol, b.Symbol) })
		var hits []byte
		for _, hit := range found {
			hits = brokerage.AppendHit(hits, hit)
		}
		return brokerage.SearchAnswer(len(found), hits), nil
	}
	return nil, fmt.Errorf("no sector has %d of the first %d securities", searchHits, sampled)
}

// trade gives the confirmation of a trade in the account's first position,
// which follows from its id.
func trade(d *dataset.Dataset, side brokerage.Side, customer []byte, account brokerage.ID) ([]byte, error) {
	i := int64(account) % d.Count(dataset.Security)
	t := brokerage.Trade{Side: side, Symbol: d.Symbol(int(i)), Quantity: "5"}
	_, confirmation, err := t.Apply(brokerage.DefaultRules, customer, account, brokerage.QuoteOf(d.Append(nil, dataset.Security, i)))
	return confirmation, err
}
