package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/store"
)

// A tracer reports statements by their names, without their parameters.
type tracer struct {
	begin store.Trace
	names map[string]string // by the text
}

func newTracer(begin store.Trace) *tracer {
	names := map[string]string{"BEGIN": "begin", "COMMIT": "commit", "ROLLBACK": "rollback"}
	for _, texts := range []map[string]string{pureStatements, statements} {
		for name, text := range texts {
			names[text] = name
		}
	}
	for locking, text := range holds {
		names[text] = "hold_" + strings.TrimPrefix(locking, "lock_")
	}
	return &tracer{begin, names}
}

// unanswered are the statements of a query or a batch that wait for their answers, and end ends the span of the first.
type unanswered struct {
	texts []string
	end   func(error)
}

type unansweredKey struct{}

func (t *tracer) start(ctx context.Context, texts []string) context.Context {
	name, ok := t.names[texts[0]]
	if !ok {
		name = "other"
	}
	return context.WithValue(ctx, unansweredKey{}, &unanswered{texts[1:], t.begin(ctx, name)})
}

// finish ends the span of a statement, and begins that of the next one: after an error, the server does not run the
// rest. A query that has only found nothing has no error.
func (t *tracer) finish(ctx context.Context, err error) {
	u := ctx.Value(unansweredKey{}).(*unanswered) //nolint:forcetypeassert // of start
	if u.end == nil {
		return
	}
	if noRows(err) {
		err = nil
	}
	u.end(err)
	if u.end = nil; err == nil && len(u.texts) > 0 {
		next := t.start(ctx, u.texts)
		*u = *next.Value(unansweredKey{}).(*unanswered) //nolint:forcetypeassert // of start
	}
}

// TraceQueryStart implements pgx.QueryTracer.
func (t *tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, query pgx.TraceQueryStartData) context.Context {
	return t.start(ctx, []string{query.SQL})
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t *tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, query pgx.TraceQueryEndData) {
	t.finish(ctx, query.Err)
}

// TraceBatchStart implements pgx.BatchTracer.
func (t *tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, batch pgx.TraceBatchStartData) context.Context {
	var texts []string // never none
	for _, q := range batch.Batch.QueuedQueries {
		texts = append(texts, q.SQL)
	}
	return t.start(ctx, texts)
}

// TraceBatchQuery implements pgx.BatchTracer.
func (t *tracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, query pgx.TraceBatchQueryData) {
	t.finish(ctx, query.Err)
}

// TraceBatchEnd implements pgx.BatchTracer.
func (t *tracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, batch pgx.TraceBatchEndData) {
	t.finish(ctx, batch.Err)
}
