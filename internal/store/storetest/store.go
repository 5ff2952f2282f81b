package storetest

import (
	"regexp"
	"slices"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

var storeCases = []testCase{
	{name: "Contents/Loaded", run: func(e *env) {
		got, err := e.s.Contents(e.Context())
		e.must(err)
		e.equal("the contents", tpox.Contents{
			Fingerprint: e.d.Fingerprint(), Seed: e.d.Spec().Seed,
			Scale: e.d.Spec().Scale.String(), Profile: e.d.Spec().Profile.String(),
			Securities: e.d.Count(dataset.Security), Customers: e.d.Count(dataset.Customer), Orders: e.d.Count(dataset.Order),
		}, got)
		e.must(e.s.Ready(e.Context()))
	}},
	// Results are compared only if their stores promise the same durability. A server for tests may be NotDurable.
	{name: "Describe", run: func(e *env) {
		is := e.s.Describe()
		if is.Durability != tpox.Durable && is.Durability != tpox.NotDurable ||
			is.Name == "" || is.Version == "" || len(is.Settings) == 0 || !identity.MatchString(is.Identity) {
			e.Errorf("the engine is %+v", is)
		}
		if e.reopened(); e.s.Describe().Identity != is.Identity {
			e.Errorf("the database has the identity %s and had %s", e.s.Describe().Identity, is.Identity)
		}
		for _, t := range tpox.Transactions {
			if !slices.Contains(tpox.Fidelities[:], is.Faithful[t.Name]) {
				e.Errorf("%s is %q", t.Name, is.Faithful[t.Name])
			}
		}
	}},
	{name: "Durable/Writes", run: func(e *env) {
		id, accounts, _ := e.insertCustomer(2)
		order, doc := e.newOrder(accounts[0], "5")
		e.insertOrder(doc)
		e.trade(id, accounts[0], tpox.Buy, e.held(0), "5")
		e.must(e.s.CloseAccount(e.Context(), plain(), id, accounts[1]))
		e.must(e.s.DeleteCustomer(e.Context(), plain(), e.customerID(3)))
		e.setPrice(e.held(0), tpox.Price{LastTrade: "7.77"})
		w := watch{
			orders: ids{order}, customers: ids{id, e.customerID(3)},
			accounts: append(accounts, e.accountID(3)), symbols: []string{e.held(0)},
		}
		e.unchanged(w, e.reopened)
	}},
}

// identity matches the identity of a database.
var identity = regexp.MustCompile(`^[0-9a-f]{32}$`)
