package sqlite

import (
	"context"
	"errors"
	"slices"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A revision is the plan of a write that changes one or several stored documents: what it has read and will write.
type revision struct {
	store  *Store
	tx     *transaction // in which it is planned again; nil while the plan reads from the pool
	read   []readDocument
	writes []plannedWrite
	// before is done in the transaction before the writes; it may be nil.
	before func(*transaction) error
	answer []byte
	large  int // bytes of a large document that the first plan has read; 0 for none
}

type readDocument struct {
	key  documentKey
	size int64 // packed bytes
}

type plannedWrite struct {
	statement *statement
	args      []any
}

// revise changes stored documents. plan does the work (unpacking, editing, validating, packing) in the caller's
// goroutine, on what the pool of readers sees. The writer, for which all writes wait, only checks whether a document
// that was read may have changed since. If so, plan is called again.
//
// Nothing is locked before the writer runs the transaction, so the order in which plan reads documents cannot cause a
// deadlock. But if two documents are each a reason to refuse the write, the order decides which reason is given, and
// should be the same in all stores.
//
// Without an idempotency key, an error of plan is final: it was right when plan read. With one, a kept answer or a new
// error may replace it.
func (s *Store) revise(ctx context.Context, w tpox.Write, plan func(*revision) error) ([]byte, error) {
	r := &revision{store: s}
	before := s.writer.changes.ends.Load()
	refused := r.plan(plan)
	if errors.Is(refused, store.ErrLarge) {
		leave, err := s.large.Enter(ctx, r.large)
		if err != nil {
			return nil, err
		}
		defer leave()
		before = s.writer.changes.ends.Load()
		refused = r.plan(plan)
	}
	if refused != nil && w.Once == nil {
		return nil, refused
	}
	return s.write(ctx, w, func(t *transaction) ([]byte, error) {
		changed := func(d readDocument) bool { return t.w.changes.since(before, d.key) }
		if t.w.changes.since(before) || slices.ContainsFunc(r.read, changed) {
			s.redone.Add(1)
			r.tx = t
			refused = r.plan(plan)
		}
		if refused != nil {
			return nil, refused
		}
		return r.answer, r.apply(t)
	})
}

func (r *revision) plan(plan func(*revision) error) error {
	r.read, r.writes, r.before, r.answer = nil, nil, nil, nil
	return plan(r)
}

// note records that the revision depends on a document, and the packed size of the document.
func (r *revision) note(key documentKey, size int) {
	r.read = append(r.read, readDocument{key, int64(size)})
}

// find reads the one row of a key, or returns sql.ErrNoRows.
func (r *revision) find(ctx context.Context, st *statement, key any, columns ...any) error {
	if r.tx != nil {
		return r.tx.row(st, []any{key}, columns...)
	}
	return r.store.query(ctx, st, []any{key}, columns...)
}

// packed reads the packed document of a key; a missing one is *NotFound.
func (r *revision) packed(ctx context.Context, get *statement, key any) ([]byte, error) {
	var b []byte
	err := r.find(ctx, get, key, &b)
	r.note(keyOf(get.kind, key), len(b))
	if err != nil {
		return nil, missing(get.kind, key, err)
	}
	return b, nil
}

// document reads the document of a key; a missing one is *NotFound.
func (r *revision) document(ctx context.Context, get *statement, key any) ([]byte, error) {
	b, err := r.packed(ctx, get, key)
	if err != nil {
		return nil, err
	}
	return r.unpack(get.kind, key, b)
}

// unpack unpacks a document that was read. It returns store.ErrLarge for the first large one that the caller's
// goroutine reads.
func (r *revision) unpack(k kind, key any, b []byte) ([]byte, error) {
	doc, err := r.store.unpack(k, key, b)
	if err == nil && r.tx == nil && r.large == 0 && len(doc) > store.SmallBytes {
		r.large, err = len(doc), store.ErrLarge
	}
	return doc, err
}

// edit reads the document of a key, and plans to replace it by the result of change.
func (r *revision) edit(
	ctx context.Context, get, put *statement, key any, change func(doc []byte) ([]byte, error),
) error {
	doc, err := r.document(ctx, get, key)
	if err != nil {
		return err
	}
	if doc, err = change(doc); err != nil {
		return err
	}
	r.write(put, key, r.store.pack(get.kind, doc))
	return nil
}

// write plans a statement.
func (r *revision) write(st *statement, args ...any) {
	r.writes = append(r.writes, plannedWrite{st, args})
}

// apply executes the plan.
func (r *revision) apply(t *transaction) error {
	if r.before != nil {
		if err := r.before(t); err != nil {
			return err
		}
	}
	for i := range r.writes {
		w := &r.writes[i]
		key := keyOf(w.statement.kind, w.args[0])
		if i := slices.IndexFunc(r.read, func(d readDocument) bool { return d.key == key }); i >= 0 {
			t.replaced = r.read[i].size
		}
		if _, err := t.exec(w.statement, w.args...); err != nil {
			return err
		}
	}
	return nil
}
