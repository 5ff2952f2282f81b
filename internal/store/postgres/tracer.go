package postgres

import (
	"context"
	"maps"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/store"
)

// A tracer reports statements by their names, without their parameters.
type tracer struct {
	begin store.Trace
	names map[string]string // by the text
}

// namesOfStatements returns the names of all statements by their texts.
func namesOfStatements() map[string]string {
	names := make(map[string]string, 2*len(statements))
	for _, texts := range []map[string]string{pureStatements, statements} {
		for name, text := range texts {
			names[text] = name
		}
	}
	return names
}

func newTracer(begin store.Trace) *tracer {
	names := namesOfStatements()
	for _, control := range []string{"BEGIN", "COMMIT", "ROLLBACK"} {
		names[control] = strings.ToLower(control)
	}
	for locking, text := range maps.All(holds) {
		names[text] = "hold_" + strings.TrimPrefix(locking, "lock_")
	}
	return &tracer{begin, names}
}

// A traced is the statements of a query or a batch that have not been answered yet; end ends the span of the first.
type traced struct {
	texts []string
	end   func(error)
}

type tracedKey struct{}

// start begins the span of the first statement.
func (t *tracer) start(ctx context.Context, texts []string) *traced {
	name, ok := t.names[texts[0]]
	if !ok {
		name = "other"
	}
	return &traced{texts, t.begin(ctx, name)}
}

// finish ends the span of the first statement. A query that has only found nothing has no error.
func finish(ctx context.Context, err error) *traced {
	s, _ := ctx.Value(tracedKey{}).(*traced)
	if s == nil || s.end == nil {
		return nil
	}
	if noRows(err) {
		err = nil
	}
	s.end(err)
	s.end = nil
	return s
}

// TraceQueryStart implements pgx.QueryTracer.
func (t *tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return context.WithValue(ctx, tracedKey{}, t.start(ctx, []string{data.SQL}))
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t *tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	finish(ctx, data.Err)
}

// TraceBatchStart implements pgx.BatchTracer.
func (t *tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	var texts []string
	for _, q := range data.Batch.QueuedQueries {
		texts = append(texts, q.SQL)
	}
	return context.WithValue(ctx, tracedKey{}, t.start(ctx, texts)) // a batch is never empty
}

// TraceBatchQuery implements pgx.BatchTracer; it is called when an answer has come. After an error, the server does not
// run the rest.
func (t *tracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	if s := finish(ctx, data.Err); s != nil && data.Err == nil && len(s.texts) > 1 {
		*s = *t.start(ctx, s.texts[1:])
	}
}

// TraceBatchEnd implements pgx.BatchTracer.
func (t *tracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	finish(ctx, data.Err)
}
