package tally_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/tally"
)

// counting answers 1, 2, 3 …, each after some time.
func counting(takes time.Duration) *tally.Asked[int] {
	n := 0
	return &tally.Asked[int]{Patience: time.Second, Within: time.Minute, Ask: func(ctx context.Context) (int, error) {
		n++
		answer := n
		select {
		case <-time.After(takes):
			return answer, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}}
}

func TestAsked_AtEachLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := counting(0)
		require.Equal(t, 1, a.Look())
		require.Equal(t, 2, a.Look())
	})
}

func TestAsked_Every(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := counting(0)
		a.Every = time.Hour
		require.Equal(t, 1, a.Look())
		time.Sleep(time.Hour - time.Nanosecond)
		require.Equal(t, 1, a.Look())
		time.Sleep(time.Nanosecond)
		require.Equal(t, 2, a.Look())
	})
}

// Who looks does not hang where the server does, and asks it nothing more.
func TestAsked_Patience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := counting(10 * time.Second)
		began := time.Now()
		require.Zero(t, a.Look())
		require.Zero(t, a.Look())
		require.Equal(t, 2*time.Second, time.Since(began))
		time.Sleep(7500 * time.Millisecond)
		require.Equal(t, 1, a.Look(), "the answer came while this look waited")
		synctest.Wait()
	})
}

func TestAsked_NeverAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := counting(time.Hour)
		require.Zero(t, a.Look())
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Zero(t, a.Look(), "it was given up, and asked for again")
		time.Sleep(time.Minute)
	})
}

func TestAsked_Fails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := counting(0)
		require.Equal(t, 1, a.Look())
		a.Ask = func(context.Context) (int, error) { return 99, errors.New("no connection") }
		require.Equal(t, 1, a.Look())
	})
}
