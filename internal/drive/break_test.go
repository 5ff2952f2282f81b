package drive

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/ledger"
	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// A run is INVALID if the command of its Break fails or outlives the run, but not because the target keeps answering.
func TestBreak(t *testing.T) {
	t.Parallel()
	for command, says := range map[string]string{
		"exit 3":     "the command failed: exit status 3",
		"sleep 1000": "the command failed: it did not end before the run did",
		"sleep 0":    "",
	} {
		p := shortly(t, "query")
		p.Break = Break{Do: Command(command), At: 100 * time.Millisecond}
		r := driven(t, direct(t, nullStore(t), "null:"), p)
		if says == "" {
			require.Empty(t, r.Validity.Reasons)
			require.False(t, r.Break.Unanswered)
			require.Positive(t, r.Break.Longest)
			continue
		}
		require.True(t, r.Validity.Invalid())
		require.Contains(t, r.Validity.Reasons[0], says)
	}
}

// Only a refusal shows that a change was not applied.
func TestFateOf(t *testing.T) {
	unexpected := func(reason string) result.Outcome { return result.Outcome{Class: result.Unexpected, Reason: reason} }
	for outcome, want := range map[result.Outcome]ledger.Fate{
		result.Done: ledger.Acknowledged,
		{Class: result.Expected, Reason: "not-held"}: ledger.Refused,
		unexpected("404 not-found"):                  ledger.Refused,
		unexpected("429 overloaded"):                 ledger.Refused,
		unexpected("503 outcome-unknown"):            ledger.Unknown,
		unexpected("500 damaged"):                    ledger.Unknown,
		workload.WrongAnswer:                         ledger.Unknown,
		workload.TimedOut:                            ledger.Unknown,
		workload.Unanswered:                          ledger.Unknown,
		{Class: result.Abandoned}:                    ledger.Unknown,
	} {
		require.Equal(t, want, fateOf(outcome), outcome)
	}
}
