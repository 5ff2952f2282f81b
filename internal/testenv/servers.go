package testenv

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A NotHereError says why a server cannot be started here: its tests are skipped, or fail where it is required.
type NotHereError struct{ Reason string }

func (e *NotHereError) Error() string { return e.Reason }

// Servers are servers for tests, such as database servers: one that all tests of a package share, and those of single
// tests. Each is stopped with the tests that it was started for.
type Servers[S interface{ Stop() error }] struct {
	What string // for errors, such as "PostgreSQL"
	Need string // how BROKERAGE_TEST_REQUIRE names it

	once   sync.Once
	shared S
	err    error
	begun  bool
}

// Main runs the tests of a package, for its TestMain.
func (s *Servers[S]) Main(m *testing.M) {
	code := m.Run()
	if s.begun && s.err == nil {
		if err := s.shared.Stop(); err != nil {
			fmt.Fprintf(os.Stderr, "stopping %s: %v\n", s.What, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// Shared returns the server for all tests of a package, whose TestMain calls Main. The first call starts it.
func (s *Servers[S]) Shared(t testing.TB, start func() (S, error)) S {
	t.Helper()
	s.once.Do(func() {
		s.begun = true
		s.shared, s.err = start()
	})
	s.require(t, s.err)
	return s.shared
}

// Own starts a server for one test.
func (s *Servers[S]) Own(t testing.TB, start func() (S, error)) S {
	t.Helper()
	own, err := start()
	s.require(t, err)
	t.Cleanup(func() { assert.NoError(t, own.Stop(), "stopping %s", s.What) })
	return own
}

func (s *Servers[S]) require(t testing.TB, err error) {
	t.Helper()
	if notHere, ok := errors.AsType[*NotHereError](err); ok {
		Missing(t, s.Need, notHere.Reason)
	}
	require.NoError(t, err)
}
