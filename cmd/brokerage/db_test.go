package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDBFlag(t *testing.T) {
	var f dbFlag
	require.NoError(t, f.UnmarshalText([]byte("sqlite:a b%20:c.db")))
	require.Equal(t, "a b%20:c.db", f.Path())
	require.Equal(t, "sqlite:a b%20:c.db", f.URL())
	require.Equal(t, "a b%20:c.db", f.name())

	require.NoError(t, f.UnmarshalText([]byte("postgres://me:secret@host:5433/db?sslmode=disable")))
	require.Equal(t, "postgres://me@host:5433/db", f.name())
}

func TestDBFlag_Refusals(t *testing.T) {
	for _, command := range []string{"load", "verify"} {
		for name, c := range map[string]struct{ db, says string }{
			"Null":    {"null:", "null: holds nothing that could be loaded"},
			"NoPath":  {"sqlite:", "sqlite:PATH"},
			"Unknown": {"oracle:x", "sqlite:PATH"},
			"NoURL":   {"brokerage.db", "sqlite:PATH"},
		} {
			t.Run(command+"/"+name, func(t *testing.T) {
				requireOneLine(t, brokerage(t.Context(), command, "--db", c.db), exitUsage, c.says)
			})
		}
	}
}
