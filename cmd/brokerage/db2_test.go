package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const aDB2 = "db2://me:secret@127.0.0.1:1/TPOX"

// Any binary prints the DDL.
func TestMigrate_PrintsDB2(t *testing.T) {
	r := succeeds(t, "migrate", "--db", aDB2, "--print")
	for _, part := range []string{
		"CREATE TABLESPACE ME_ALL", "CREATE TABLE custacc", "GENERATE KEY USING XMLPATTERN", "REGISTER XMLSCHEMA",
		"schema.version",
	} {
		require.Contains(t, r.out, part)
	}
	require.NotContains(t, r.out, "secret")
}
