package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
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
	require.Contains(t, r.out, "order 103282: the column account is 5, but")
	require.Contains(t, r.out, ": 1 finding\n")
	require.Contains(t, r.err, "1 finding")
}

func TestWriteSpace(t *testing.T) {
	var b strings.Builder
	require.NoError(t, writeSpace(&b, [...]int64{1000, 0, 20000}, [...]int64{6e6, 0, 30e6}, store.Space{
		Stored:  [...]int64{3e6, 4096, 12e6},
		Indexes: []store.IndexSpace{{Name: "orders_cash", Bytes: 900_000}},
		Rest:    95_904, File: 16e6,
	}))
	require.Equal(t, `
               documents      raw   stored  of raw
     security      1,000  6.00 MB  3.00 MB  50.0 %
     customer          0  0 bytes  4.10 kB        
        order     20,000  30.0 MB  12.0 MB  40.0 %
  orders_cash                       900 kB   2.5 %
     the rest                      95.9 kB   0.3 %
        total     21,000  36.0 MB  16.0 MB  44.4 %
`, "\n"+b.String())
}
