package postgres

import (
	"cmp"
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/store"
)

// A tracer reports statements by their names, without their parameters. It is a pgx.QueryTracer and a pgx.BatchTracer.
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

// tracerKey is the key in the context of a query or a batch for the function that is called with the error of each
// statement.
type tracerKey struct{}

// start begins the span of the first statement. After an error there is no other span: the server runs nothing more.
func (t *tracer) start(ctx context.Context, conn *pgx.Conn, texts ...string) context.Context {
	server := conn.PgConn().Conn().RemoteAddr()
	begin := func() func(error) { return t.begin(ctx, cmp.Or(t.names[texts[0]], "other"), server) }
	end := begin()
	return context.WithValue(ctx, tracerKey{}, func(err error) {
		if end == nil {
			return
		}
		if noRows(err) { // a query that has only found nothing
			err = nil
		}
		end(err)
		if texts, end = texts[1:], nil; err == nil && len(texts) > 0 {
			end = begin()
		}
	})
}

func finish(ctx context.Context, err error) { ctx.Value(tracerKey{}).(func(error))(err) }

func (t *tracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, query pgx.TraceQueryStartData) context.Context {
	return t.start(ctx, conn, query.SQL)
}

func (t *tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, query pgx.TraceQueryEndData) {
	finish(ctx, query.Err)
}

func (t *tracer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, batch pgx.TraceBatchStartData) context.Context {
	var texts []string // never empty
	for _, q := range batch.Batch.QueuedQueries {
		texts = append(texts, q.SQL)
	}
	return t.start(ctx, conn, texts...)
}

func (t *tracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, query pgx.TraceBatchQueryData) {
	finish(ctx, query.Err)
}

func (t *tracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, batch pgx.TraceBatchEndData) {
	finish(ctx, batch.Err)
}
