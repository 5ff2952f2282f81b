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
