package storetest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// A recorder is a T that records failures, for cases that are expected to fail.
type recorder struct {
	name string
	ctx  context.Context //nolint:containedctx // it stands in for testing.T, which keeps one too

	mu       sync.Mutex
	failed   bool
	messages []string
}

var _ T = (*recorder)(nil)

// observe runs f as a test of its own and returns whether it failed, with its messages.
func observe(ctx context.Context, name string, f func(T)) (failed bool, messages string) {
	r := &recorder{name: name, ctx: ctx}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.Errorf("panic: %v", p)
			}
		}()
		f(r)
	}()
	<-done
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed, strings.Join(r.messages, "\n")
}

func (r *recorder) note(s string, failed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages = append(r.messages, s)
	r.failed = r.failed || failed
}

func (r *recorder) Helper()                  {}
func (r *recorder) Name() string             { return r.name }
func (r *recorder) Context() context.Context { return r.ctx }

func (r *recorder) Log(args ...any)                   { r.note(fmt.Sprint(args...), false) }
func (r *recorder) Logf(format string, args ...any)   { r.note(fmt.Sprintf(format, args...), false) }
func (r *recorder) Error(args ...any)                 { r.note(fmt.Sprint(args...), true) }
func (r *recorder) Errorf(format string, args ...any) { r.note(fmt.Sprintf(format, args...), true) }
func (r *recorder) Fail()                             { r.note("failed", true) }
func (r *recorder) FailNow()                          { r.Fail(); runtime.Goexit() }
func (r *recorder) Fatal(args ...any)                 { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); runtime.Goexit() }
func (r *recorder) Skip(args ...any)                  { r.Log(args...); runtime.Goexit() }
func (r *recorder) Skipf(format string, args ...any)  { r.Logf(format, args...); runtime.Goexit() }
func (r *recorder) SkipNow()                          { runtime.Goexit() }

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}
