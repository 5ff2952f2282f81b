package db2

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// refusals are errors of each kind that the store distinguishes, and one that it does not know.
var refusals = map[int]string{
	-104: "42601", -206: "42703", -803: stateUnique, -964: "57011", -16196: stateInvalidDocument, codeInterrupted: "57014",
	codeRolledBack: "40001", codeLost: stateConnectionFailure, codeForced: "55032", -30108: "08506", -9999: "99999",
}

// Whatever a server answers to one statement, all others are tried too, and the page says what it answered.
func TestTrial_EachCode(t *testing.T) {
	all := everything(testSchema)
	const victim = "customer_max_order"
	for code, state := range refusals {
		tried := make(map[string]int)
		f := &fake{prepare: func(query string) error {
			tried[query]++
			if query == statements[victim] {
				return failure(code, state)
			}
			return nil
		}}
		var v trial
		v.each(askCompile, all, compile(t.Context(), alonePool(t, f)))
		for _, s := range all {
			require.Positive(t, tried[s.text], "%d: %s was not tried", code, s.name)
		}
		failed, n := v.failed(askCompile)
		require.Len(t, failed, 1, code)
		require.Equal(t, len(all), n)
		require.Equal(t, victim, failed[0].Name)
		require.Equal(t, code, failed[0].Code)
		require.Contains(t, v.page(), fmt.Sprintf("| SQLCODE %d, SQLSTATE %s: said the fake |", code, state))
		require.Regexp(t, `not confirmed\*\*: \d+ of \d+`, v.answer(askCompile))
		require.Equal(t, []question{askCompile}, v.unconfirmed())
	}
}
