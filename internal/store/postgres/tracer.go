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

// namesOfStatements returns the names of the statements of all layouts by their texts.
func namesOfStatements() map[string]string {
	names := make(map[string]string, 2*len(statements))
	for _, texts := range []map[string]string{spreadStatements, pureStatements, statements} {
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
	return &tracer{begin, names}
}

func (t *tracer) statement(ctx context.Context, text string) (end func(error)) {
	name, ok := t.names[text]
	if !ok {
		name = "other"
	}
	return t.begin(ctx, name)
}

// traced returns the error to record in a trace, which is nil if a query has only found nothing.
func traced(err error) error {
	if noRows(err) {
		return nil
	}
	return err
}

type tracedKey struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (t *tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return context.WithValue(ctx, tracedKey{}, t.statement(ctx, data.SQL))
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t *tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	if end, ok := ctx.Value(tracedKey{}).(func(error)); ok {
		end(traced(data.Err))
	}
}

// A batch holds the queries of a batch that have not been answered yet. end ends the span of the first of them, whose
// answer comes next.
type batch struct {
	queries []*pgx.QueuedQuery
	end     func(error)
}

// TraceBatchStart implements pgx.BatchTracer.
func (t *tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	b := &batch{queries: data.Batch.QueuedQueries}
	b.end = t.statement(ctx, b.queries[0].SQL) // none is empty
	return context.WithValue(ctx, tracedKey{}, b)
}

// TraceBatchQuery implements pgx.BatchTracer; it is called when an answer has come.
func (t *tracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	b, ok := ctx.Value(tracedKey{}).(*batch)
	if !ok || b.end == nil {
		return
	}
	b.end(traced(data.Err))
	b.end = nil
	if b.queries = b.queries[1:]; len(b.queries) > 0 {
		b.end = t.statement(ctx, b.queries[0].SQL)
	}
}

// TraceBatchEnd implements pgx.BatchTracer.
func (t *tracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	if b, ok := ctx.Value(tracedKey{}).(*batch); ok && b.end != nil {
		b.end(traced(data.Err))
		b.end = nil
	}
}
