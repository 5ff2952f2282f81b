package guard_test

import (
	"context"
	"fmt"

	"brokerage/internal/tpox/tpoxtest"
)

// stub returns err, together with an answer, from every method, and records its last call.
type stub struct {
	tpoxtest.Stub

	ctx  context.Context //nolint:containedctx // for the tests
	call string          // the method and its arguments
}

func stubOf(err error) *stub {
	s := &stub{}
	s.Do = func(ctx context.Context) error { s.ctx = ctx; return err }
	s.Called = func(method string, args ...any) { s.call = fmt.Sprintf("%s %+v", method, args) }
	return s
}
