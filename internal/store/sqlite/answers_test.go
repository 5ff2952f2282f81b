package sqlite

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
)

// Kept answers go after they have expired, a few at a time, by the clock of
// those who write; what has not expired stays.
func TestStore_ForgetsAnswers(t *testing.T) {
	s := empty(t)
	d := generator(t, "tiny")
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	next := int64(1000)
	insert := func(now time.Time, key string, keep time.Duration) {
		t.Helper()
		next++
		_, err := s.InsertOrder(t.Context(), brokerage.Write{
			Now: now, Once: &brokerage.Once{Client: "c", Key: key, Expires: now.Add(keep)},
		}, order(d, next))
		require.NoError(t, err)
	}
	kept := func() (n int) {
		t.Helper()
		require.NoError(t, s.reading.QueryRowContext(t.Context(), "SELECT count(*) FROM answers").Scan(&n))
		return n
	}
	insert(begin, "long", time.Hour)
	const short = 2*purgeRows + 10
	for i := range short {
		insert(begin, fmt.Sprint("short-", i), 10*time.Second)
	}
	insert(begin.Add(30*time.Second), "between", time.Hour)
	require.Equal(t, short+2, kept(), "expired, but it is too early to look")

	minute := begin.Add(purgeEvery)
	insert(minute, "minute-0", time.Hour)
	require.Equal(t, short+3-purgeRows, kept(), "no more than is quick")
	insert(minute, "minute-1", time.Hour)
	require.Equal(t, short+4-2*purgeRows, kept(), "the rest is not left for a minute")
	insert(minute, "minute-2", time.Hour)
	require.Equal(t, 5, kept(), "what has not expired stays")
	insert(minute, "long", time.Hour)
	_, err := s.GetOrder(t.Context(), brokerage.ID(next))
	require.ErrorAs(t, err, new(*brokerage.NotFound), "and is the answer still")

	insert(minute, "brief", time.Second)
	insert(minute.Add(59*time.Second), "minute-3", time.Hour)
	require.Equal(t, 7, kept())
	insert(minute.Add(60*time.Second), "minute-4", time.Hour)
	require.Equal(t, 7, kept(), "one came, one went")
	insert(begin, "back", time.Hour) // a clock that was put back
	require.Equal(t, 8, kept())
}
