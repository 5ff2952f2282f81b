package db2

import (
	"context"
	"database/sql/driver"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

// unconnected is a driver that cannot connect.
type unconnected struct{ err error }

func (u unconnected) Connect(context.Context) (driver.Conn, error) { return nil, u.err }
func (u unconnected) Driver() driver.Driver                        { return nil }

// An error that may disappear by waiting is *tpox.Unavailable, so that a service waits, whether it occurs when
// connecting or in the first statement. Codes and states are those of IBM's message catalog.
func TestOpen_Heals(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		heals bool
	}{
		"NoServer":           {lost, true},
		"NoHost":             {failure(-1336, "08001"), true},
		"WrongPassword":      {failure(-30082, "08001"), true},
		"PasswordExpired":    {failure(-1404, "08004"), true},
		"NoDatabase":         {failure(-30061, "08004"), true},
		"NoDatabaseLocally":  {failure(-1013, stateNoDatabase), true},
		"NotStarted":         {failure(-1032, "57019"), true},
		"NotActivated":       {failure(-1035, "57019"), true},
		"RollforwardPending": {failure(-1117, "57019"), true},
		"RestartNeeded":      {failure(-1015, "55025"), true},
		"TooManyInDatabase":  {failure(-1040, "57030"), true},
		"TooManyAtServer":    {failure(-1226, "57030"), true},
		"Quiesced":           {failure(-20157, "08004"), true},
		"Forced":             {failure(codeForced, "55032"), true},
		"LogFull":            {failure(-964, "57011"), true},
		"MayNotCreate":       {failure(-552, stateNoAuthority), true},
		"MayNotRead":         {failure(-551, stateNoPrivilege), true},
		"SomebodyElseMakes":  {deadlock, true},
		"Licence":            {failure(-8001, "42968"), false},
		"Syntax":             {failure(-104, "42601"), false},
		"OwnFault":           {errors.New("x"), false},
	} {
		t.Run(name, func(t *testing.T) {
			requireHeals := func(err error) {
				var unavailable *tpox.Unavailable
				require.ErrorIs(t, err, c.err)
				require.Equal(t, c.heals, errors.As(err, &unavailable), "%v", err)
			}
			_, err := openConnectors(t.Context(), unconnected{c.err}, unconnected{c.err}, Options{})
			requireHeals(err)
			f := &fake{answer: func(string, []driver.Value) (answer, error) { return answer{}, c.err }}
			_, err = openConnectors(t.Context(), f, f, Options{})
			requireHeals(err)
			require.Equal(t, f.connections, f.closed)
		})
	}
}

// A missing password file may appear later, as a Secret does; one that cannot be used is an error.
func TestOpen_PasswordFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	url := "db2://u@h/TPOX?password_file=" + file
	require.NoError(t, CheckURL(url), "without a look at whether it is there")
	_, err := Open(t.Context(), url, Options{})
	var unavailable *tpox.Unavailable
	require.ErrorAs(t, err, &unavailable)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(file, []byte("a;UID=root"), 0o600))
	_, err = Open(t.Context(), url, Options{})
	require.ErrorContains(t, err, "cannot hold")
	require.NotErrorAs(t, err, &unavailable)
	require.NotContains(t, err.Error(), "root")
}
