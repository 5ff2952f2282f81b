package db2

// sell runs sell_security for a part of the position, the usual case, and if that was not done, for all of it. It
// reports whether one of the two was done; all is "yes" if the second ran, otherwise "no".
func (t *tx) sell(d deal) (done bool, all string, err error) {
	for _, all = range []string{"no", "yes"} {
		done, err = t.exec("sell_security",
			d.account, d.quote.Symbol, d.terms.Quantity, d.terms.Movement, d.stamp, d.day, all,
			d.account,
			d.account, d.quote.Symbol, d.terms.Quantity, d.terms.Movement, all)
		if done || err != nil {
			break
		}
	}
	return done, all, err
}
