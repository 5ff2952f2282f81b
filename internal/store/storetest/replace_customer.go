package storetest

import (
	"context"
	"regexp"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// indentation finds where an element begins directly after a tag.
var indentation = regexp.MustCompile(`>(<[^/])`)

var replaceCustomer = &transaction{
	call: func(e *env) call {
		id, accounts, doc := e.insertCustomer(1)
		doc = e.put(doc, "LastName", "X")
		uses := watch{customers: ids{id}, accounts: accounts}
		return call{uses, true, func(ctx context.Context, w tpox.Write) (string, error) {
			return done(e.s.ReplaceCustomer(ctx, w, id, []byte(doc), true, nil))
		}}
	},
	cases: []testCase{
		{name: "ReplaceCustomer/Replaces", run: func(e *env) {
			id := e.customerID(2)
			doc := e.put(string(e.d.Append(nil, dataset.Customer, 2)), "LastName", "Zoë &amp; Söhne")
			e.must(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), true, nil))
			want := e.tree([]byte(doc))
			e.same("the customer", want, e.customer(id))
			e.same("the profile", refProfile(want), e.got(e.s.CustomerProfile(e.Context(), id)))
			e.same("the neighbour", e.customers[3], e.customer(e.customerID(3)))
		}},
		// White space between elements is part of a document, and of its version. A store with StripsSpace strips it from
		// documents that it validates.
		{name: "ReplaceCustomer/Indented", run: func(e *env) {
			id, _, doc := e.insertCustomer(1)
			indented := indentation.ReplaceAllString(doc, ">\n  $1")
			want := e.tree([]byte(indented))
			e.must(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(indented), false, nil))
			e.same("the customer that is not validated", want, e.customer(id))
			again := func() { // the version that was read can be replaced
				e.same("the customer", want, e.customer(id))
				match := tpox.Match{e.tag(e.s.GetCustomer(e.Context(), id))}
				e.must(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(indented), true, match))
				e.same("the customer", want, e.customer(id))
			}
			e.must(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(indented), true, nil))
			again()
			e.must(e.s.DeleteCustomer(e.Context(), plain(), id))
			e.insert(indented, true)
			again()
			if !e.s.Describe().StripsSpace {
				e.equal("the tag", tpox.ETag([]byte(indented)), e.tag(e.s.GetCustomer(e.Context(), id)))
			}
		}},
		{name: "ReplaceCustomer/MovesAccounts", run: func(e *env) {
			id, accounts, doc := e.insertCustomer(2)
			opened := e.id()
			doc = e.edit(doc, ` id="`+accounts[0].String()+`"`, ` id="`+opened.String()+`"`)
			order, o := e.newOrder(opened, "5")
			e.insertOrder(o)
			e.must(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), true, nil))
			e.noAccount(accounts[0])
			e.belongs(accounts[1], id)
			e.belongs(opened, id)
			e.equal("the largest order", order.String(), e.got(e.s.CustomerMaxOrder(e.Context(), id)).attrs["ORDER_ID"])

			// An account that was removed can belong to another customer.
			other, others, doc2 := e.newCustomer(1)
			doc2 = e.edit(doc2, ` id="`+others[0].String()+`"`, ` id="`+accounts[0].String()+`"`)
			e.insert(doc2, true)
			e.belongs(accounts[0], other)
		}},
		{name: "ReplaceCustomer/AccountExists", run: func(e *env) {
			id, accounts, doc := e.insertCustomer(2)
			doc = e.edit(doc, ` id="`+accounts[1].String()+`"`, ` id="`+e.accountID(1).String()+`"`)
			e.unchanged(watch{customers: ids{id, e.customerID(1)}, accounts: append(accounts, e.accountID(1))}, func() {
				for _, validate := range []bool{true, false} {
					e.accountExists(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), validate, nil), e.accountID(1))
				}
			})
		}},
		{name: "ReplaceCustomer/Invalid", run: func(e *env) {
			id, accounts, doc := e.insertCustomer(2)
			_, _, other := e.newCustomer(1)
			e.unchanged(watch{customers: ids{id}, accounts: accounts}, func() {
				for _, match := range []tpox.Match{nil, {"another version"}} { // it is checked after the document
					e.invalid(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(e.put(doc, "Gender", "neither")), true, match))
				}
				e.invalid(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(other), true, nil))
				for _, b := range append(badKeys(e, doc, accounts), other) {
					e.invalid(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(b), false, nil))
				}
			})
		}},
		{name: "ReplaceCustomer/NotValidated", run: func(e *env) {
			id, _, doc := e.insertCustomer(1)
			doc = e.put(doc, "Gender", "neither")
			e.must(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), false, nil))
			e.same("the customer", e.tree([]byte(doc)), e.customer(id))
		}},
		{name: "ReplaceCustomer/Missing", run: func(e *env) {
			id, accounts, doc := e.newCustomer(1)
			e.notFound(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(doc), true, nil), "customer")
			e.invalid(e.s.ReplaceCustomer(e.Context(), plain(), id, []byte(e.put(doc, "Gender", "neither")), true, nil))
			e.noCustomer(id)
			e.noAccount(accounts[0])
		}},
	},
}
