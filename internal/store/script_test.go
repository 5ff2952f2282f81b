package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReturnsRows(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT 1": true, "  (select 1)": true, "-- why\n-- and how\nSELECT 1": true,
		"with a as (select 1) select * from a": true,
		"XQUERY for $i in 1 return $i":         true, "VALUES 1": true, "INSERT INTO a VALUES (1) RETURNING b": true,
		"UPDATE a SET b = 1\nRETURNING c": true,
		"INSERT INTO a SELECT 1":          false, "-- SELECT\nDELETE FROM a": false,
		"UPDATE a SET b = 'returning'": false, "-- no text": false,
	} {
		require.Equal(t, want, returnsRows(text), text)
	}
}
