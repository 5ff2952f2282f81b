package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/sqlite"
	"brokerage/internal/store/sqlite/sqlitetest"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	db := sqlitetest.Tiny(t)
	r := succeeds(t, "verify", "--db", "sqlite:"+db)
	require.Contains(t, r.out, "500 securities, 200 customers with 399 accounts, 2,000 orders")
	require.Contains(t, r.out, ": 0 findings\n")
	require.Regexp(t, `\n +order +2,000 +\d\.\d+ MB +\d\.\d+ MB +\d+\.\d %\n`, r.out)

	conn, err := sqlite.OpenFile(db)
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "UPDATE orders SET account = 5 WHERE id = 103282")
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	r = brokerage(t.Context(), "verify", "--db", "sqlite:"+db)
	require.Equal(t, exitFailed, r.code, r.err)
	require.Contains(t, r.out, "order 103282: account 5, and the document has")
	require.Contains(t, r.out, ": 1 finding\n")
	require.Contains(t, r.err, "1 finding")
}
