package null

import (
	"cmp"
	"math"
	"slices"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// newStatus is FIX's "filled".
const newStatus = "2"

// makeAnswers makes the answer of each transaction that has one, and of the other reads, by their names.
func (s *Store) makeAnswers(d *dataset.Dataset) {
	order := typical(d, dataset.Order, tpox.Order)
	customer := typical(d, dataset.Customer, tpox.CustomerProfile, tpox.AccountSummary)
	security := typical(d, dataset.Security, tpox.SecurityPrice)
	keys := must(tpox.CustomerKeysOf(customer))
	account := keys.Accounts[0]
	s.account = must(tpox.AccountOf(customer, account))
	s.account.Document = slices.Clip(s.account.Document)
	// The first position of an account follows from the account's id.
	s.quote = tpox.QuoteOf(d.Append(nil, dataset.Security, int64(account)%d.Count(dataset.Security)))
	trade := func(side tpox.Side) []byte {
		t := tpox.Trade{Side: side, Symbol: s.quote.Symbol, Quantity: "5"}
		_, confirmation, err := t.Apply(tpox.DefaultRules, customer, account, s.quote)
		return must(confirmation, err)
	}
	_, status, err := tpox.SetOrderStatus(order, newStatus)
	s.answers = map[string][]byte{
		"get_order":             tpox.Order(order),
		"customer_max_order":    tpox.MaxOrder(keys.ID, order),
		"update_order_status":   must(status, err),
		"get_customer":          customer,
		"customer_profile":      tpox.CustomerProfile(customer),
		"account_summary":       tpox.AccountSummary(customer),
		"get_security":          security,
		"get_security_price":    tpox.SecurityPrice(security),
		"update_security_price": tpox.SecurityPrice(security),
		"search_securities":     search(d),
		"buy_security":          trade(tpox.Buy),
		"sell_security":         trade(tpox.Sell),
	}
	for name, answer := range s.answers {
		s.answers[name] = slices.Clip(answer) // so that not even an append by a caller reaches another's bytes
	}
}

// must panics for an error, which a document of the generator never causes.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const (
	// sampled documents of a kind are enough for one of the mean size.
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
func search(d *dataset.Dataset) []byte {
	bySector := make(map[string][]tpox.SecurityKeys)
	for i := int64(0); ; i++ {
		keys := must(tpox.SecurityKeysOf(d.Append(nil, dataset.Security, i)))
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
		return tpox.SearchAnswer(len(found), hits)
	}
}
