package sqlite

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStore_Stats(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir()+"/b.db", Options{Pool: 3})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	before := s.Stats()
	require.Equal(t, 3, before.Pool)
	require.Zero(t, before.InUse)
	require.Zero(t, before.Writes)

	// A write that is held up is seen while it is.
	held, release := make(chan struct{}), make(chan struct{})
	ended := make(chan error)
	go func() {
		ended <- s.writer.write(context.Background(), func(*transaction) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	require.EqualValues(t, 1, s.Stats().Writes)
	require.Equal(t, before.Commits, s.Stats().Commits)
	close(release)
	require.NoError(t, <-ended)
	require.Equal(t, before.Commits+1, s.Stats().Commits)
	require.Eventually(t, func() bool { return s.Stats().Writes == 0 }, 10*time.Second, time.Millisecond)
}

// A read that has to wait for a connection is seen, and for how long.
func TestStore_Stats_Waits(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir()+"/b.db", Options{Pool: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- s.readers.read(context.Background(), func(*reader) error {
			close(held)
			<-release
			return nil
		}, func() []documentKey { return nil })
	}()
	<-held
	require.Equal(t, 1, s.Stats().InUse)
	waits := s.Stats().Waits
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err = s.GetOrder(ctx, 1)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, waits+1, s.Stats().Waits)
	require.GreaterOrEqual(t, s.Stats().Waited, 5*time.Millisecond)
	close(release)
	require.NoError(t, <-ended)
	require.Zero(t, s.Stats().InUse)
}
