// Package trace is how a store tells which statements it runs, without knowing
// who follows them.
package trace

import "context"

// Begin is told that a statement begins, by its name: never with its parameters,
// which are what clients have sent. What it returns is told the end, with the
// error if there was one. The context is that of the transaction. It is called
// by many goroutines. Nil: nobody wants to know, and nothing is done.
type Begin func(ctx context.Context, statement string) (end func(error))

// Statement tells that a statement begins.
func (b Begin) Statement(ctx context.Context, name string) (end func(error)) {
	if b == nil {
		return nothing
	}
	return b(ctx, name)
}

func nothing(error) {}
