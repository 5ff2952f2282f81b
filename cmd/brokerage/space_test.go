package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
)

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
