package httpapi

import (
	"context"
	"net/http"
	"strings"

	"brokerage/internal/tpox"
)

// query returns the handler that answers a query by one key. It calls write to send the result.
func query[K, R any](
	key func(*request) (K, error), get func(tpox.Store, context.Context, K) (R, error),
	write func(*request, R) error,
) func(*request) error {
	return func(q *request) error {
		k, err := key(q)
		if err != nil {
			return err
		}
		if err := q.accepts(); err != nil {
			return err
		}
		ctx, err := q.fresh()
		if err != nil {
			return err
		}
		result, err := get(q.store, ctx, k)
		if err != nil {
			return err
		}
		return write(q, result)
	}
}

// remove returns the handler that deletes what an id in the path names.
func remove(
	what string, del func(tpox.Store, context.Context, tpox.Write, tpox.ID) error,
) func(*request) error {
	return func(q *request) error {
		id, err := q.key(what)
		if err != nil {
			return err
		}
		if err := del(q.store, q.ctx, q.plainWrite(), id); err != nil {
			return err
		}
		return q.noContent(http.StatusNoContent)
	}
}

// change returns the handler of an operation that changes one document. It calls key to read the document's key from
// the path, and do to make the change from the body of the request and return the body of the answer.
func change[K any](
	key func(*request) (K, error), do func(*request, tpox.Write, K, []byte) ([]byte, error),
) func(*request) error {
	return func(q *request) error {
		k, err := key(q)
		if err != nil {
			return err
		}
		if err := q.accepts(); err != nil {
			return err
		}
		body, err := q.body()
		if err != nil {
			return err
		}
		w, done, err := q.write(body)
		if err != nil {
			return err
		}
		defer done()
		answer, err := do(q, w, k, body)
		if err != nil {
			return err
		}
		return q.answer(answer)
	}
}

// replace returns the handler that replaces a document by the body of the request. It calls key to read the document's
// key from the path.
func replace[K any](
	key func(*request) (K, error),
	put func(tpox.Store, context.Context, tpox.Write, K, []byte, bool, tpox.Match) error,
) func(*request) error {
	return func(q *request) error {
		k, err := key(q)
		if err != nil {
			return err
		}
		validate, err := q.validate()
		if err != nil {
			return err
		}
		match, err := q.match()
		if err != nil {
			return err
		}
		doc, err := q.body()
		if err != nil {
			return err
		}
		if err := put(q.store, q.ctx, q.plainWrite(), k, doc, validate, match); err != nil {
			return err
		}
		// The tag must be that of the stored document, whose white space may differ from that of the body.
		if !validate || !q.store.Describe().StripsSpace {
			q.setETag(tpox.ETag(doc))
		}
		return q.noContent(http.StatusNoContent)
	}
}

// insert calls do to store the body, and answers 201 with a Location, which is path followed by the new id. If check is
// not nil, it is called with the body before the idempotency key is used.
func (q *request) insert(
	path string, check func([]byte) error, do func(tpox.Write, []byte) (tpox.ID, error),
) error {
	doc, err := q.body()
	if err == nil && check != nil {
		err = check(doc)
	}
	if err != nil {
		return err
	}
	w, done, err := q.write(doc)
	if err != nil {
		return err
	}
	defer done()
	id, err := do(w, doc)
	if err != nil {
		return err
	}
	q.note(strings.TrimSuffix(strings.TrimPrefix(path, "/v1/"), "s/"), id.String()) // "order", from /v1/orders/
	q.Header("Location", path+id.String())
	return q.noContent(http.StatusCreated)
}

// trade returns the handler of buy_security or sell_security.
func trade(side tpox.Side) func(*request) error {
	return change(byID("account"), func(q *request, w tpox.Write, id tpox.ID, body []byte) ([]byte, error) {
		trade, err := tpox.ReadTrade(body, side, w.Now)
		if err != nil {
			return nil, err
		}
		return q.store.Trade(q.ctx, w, id, trade)
	})
}
