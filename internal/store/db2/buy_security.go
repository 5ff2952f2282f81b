package db2

import "brokerage/internal/tpox"

// buy runs buy_security and reports whether it was done; a refused purchase changes nothing.
func (t *tx) buy(d deal, rules tpox.Rules) (done bool, err error) {
	covered := "no"
	if rules.Covered {
		covered = "yes"
	}
	return t.exec("buy_security",
		d.account, d.quote.Symbol, d.terms.Quantity, d.terms.Movement, d.stamp, d.day, d.quote.Name, d.quote.Type,
		d.account,
		d.account, d.quote.Symbol, d.terms.Quantity, d.terms.Movement, covered, int64(rules.MaxHoldings))
}
