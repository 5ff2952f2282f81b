package drive

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/ledger"
	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// forbidding is a target that refuses to return accounts.
type forbidding struct{ *stub }

func (forbidding) account(context.Context, tpox.ID) ([]byte, error) {
	return nil, refused(403, "read an account (scope read)")
}

// A trade can be verified only with the holdings of its account: if the service refuses to return them, the run ends.
func TestLedger_AccountsRefused(t *testing.T) {
	p := shortly(t, "mixed")
	require.NoError(t, p.Definition.SetWeights("buy_security=1"))
	p.Definition.Prepare.Orders, p.Definition.Prepare.Customers = 0, 0
	l, err := ledger.Create(output.File{Path: filepath.Join(t.TempDir(), "ledger")})
	require.NoError(t, err)
	p.Ledger = l
	target := forbidding{newStub(t, func(context.Context, *workload.Call) result.Outcome { return result.Done })}
	run, err := Run(t.Context(), p, target)
	require.ErrorIs(t, err, ErrTargetDied)
	require.ErrorContains(t, err, "the token may not read an account (scope read) (403)")
	require.Equal(t, result.TargetDied, run.Ended)
	require.Zero(t, target.calls.Load())
	require.NoError(t, l.Close())
}
