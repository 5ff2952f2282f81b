// Package trace lets a store report the statements it runs without knowing a tracing library.
package trace

import "context"

// A Begin is called when a statement begins, with the context of the transaction and the name of the statement, never
// its parameters, which clients have sent. The returned function is called when it ends, with its error or nil. Begin
// must be safe for concurrent use. It may be nil.
type Begin func(ctx context.Context, statement string) (end func(error))

// Statement calls b, if it is not nil.
func (b Begin) Statement(ctx context.Context, name string) (end func(error)) {
	if b == nil {
		return nothing
	}
	return b(ctx, name)
}

func nothing(error) {}
