package db2

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bare returns a pool over the fake, without the store around it.
func bare(t *testing.T, f *fake) *sql.DB {
	t.Helper()
	db := sql.OpenDB(connector{Connector: f})
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func TestDriver_ContextStaysHere(t *testing.T) {
	f := &fake{answer: func(string, []driver.Value) (answer, error) { return answer{changed: 1}, nil }}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := bare(t, f).ExecContext(ctx, "UPDATE t SET a = ?", 1) // the fake panics at a context
	require.NoError(t, err)
}

func TestDriver_Binds(t *testing.T) {
	var got []driver.Value
	f := &fake{answer: func(_ string, args []driver.Value) (answer, error) { got = args; return answer{}, nil }}
	_, err := bare(t, f).ExecContext(t.Context(), "? ? ? ?", []byte("text"), 7, 1.5, nil)
	require.NoError(t, err)
	require.Equal(t, []driver.Value{"text", int64(7), 1.5, nil}, got)
}

// Each new connection runs the session's statements first, and is closed if one fails.
func TestDriver_Session(t *testing.T) {
	session := Options{LockTimeout: 3 * time.Second}.session()
	require.Equal(t, []string{"SET CURRENT LOCK TIMEOUT = 3"}, session)
	require.Empty(t, Options{}.session())
	fails := true
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		if fails && query == session[0] {
			return answer{}, failure(-104, "42601")
		}
		return answer{}, nil
	}}
	db := sql.OpenDB(connector{Connector: f, session: session})
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.Error(t, db.PingContext(t.Context()))
	require.Equal(t, 1, f.closed)
	fails = false
	_, err := db.ExecContext(t.Context(), "UPDATE t")
	require.NoError(t, err)
	require.Equal(t, session[0]+" "+session[0]+" UPDATE t", squeeze(f.said()))
}

func TestDriver_Isolation(t *testing.T) {
	f := &fake{}
	for _, options := range []*sql.TxOptions{{Isolation: sql.LevelSerializable}, {ReadOnly: true}} {
		_, err := bare(t, f).BeginTx(t.Context(), options)
		require.Error(t, err)
	}
	require.Empty(t, f.said())
}

func TestDriver_PreparesOnce(t *testing.T) {
	fails := false
	f := &fake{answer: func(string, []driver.Value) (answer, error) {
		if fails {
			return answer{}, failure(-407, "23502")
		}
		return answer{}, nil
	}}
	db := bare(t, f)
	db.SetMaxOpenConns(1)
	run := func() error { _, err := db.ExecContext(t.Context(), "UPDATE t"); return err }
	for range 5 {
		require.NoError(t, run())
	}
	require.Equal(t, 1, f.prepared)
	// One that failed is prepared again: it may be half bound.
	fails = true
	require.Error(t, run())
	fails = false
	require.NoError(t, run())
	require.Equal(t, 2, f.prepared)
	require.Equal(t, 1, f.connections)
}

// After a commit that failed, the driver's connection is still in its transaction.
func TestDriver_FailedCommit(t *testing.T) {
	f := &fake{commit: func() error { return failure(-911, "40001") }}
	db := bare(t, f)
	db.SetMaxOpenConns(1)
	for range 2 {
		tx, err := db.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		require.Error(t, tx.Commit())
	}
	require.Equal(t, 2, f.connections)
	require.Equal(t, 2, f.closed)
}

func TestDriver_LostConnection(t *testing.T) {
	for name, err := range map[string]error{
		"Communication": lost, "Forced": failure(codeForced, "55032"), "CLI": driver.ErrBadConn,
		"Rerouted": rerouted, "Unknown": failure(-977, stateUnknown),
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{answer: func(string, []driver.Value) (answer, error) { return answer{}, err }}
			db := bare(t, f)
			for n := range 2 {
				_, failed := db.ExecContext(t.Context(), "UPDATE t")
				require.True(t, isLost(failed), "%v", failed)
				require.Equal(t, n+1, f.closed, "it went back to the pool")
			}
			// For ErrBadConn, database/sql would run it again, and a write must run once.
			require.Equal(t, "UPDATE t UPDATE t", squeeze(f.said()))
			require.Equal(t, 2, f.connections)
		})
	}
}

func TestServerError(t *testing.T) {
	for name, c := range map[string]struct {
		diagnostics []Diagnostic
		want        ServerError
	}{
		"OdbcState": {
			[]Diagnostic{{
				-204, "42S02", `[IBM][CLI Driver][DB2/LINUXX8664] SQL0204N  "TPOX.NONE" is an undefined name.  SQLSTATE=42704`,
			}},
			ServerError{Code: -204, State: "42704"},
		},
		"Reason": {
			[]Diagnostic{{
				-911, "40001", "[IBM][CLI Driver][DB2/LINUXX8664] SQL0911N  The current transaction has been rolled back " +
					"because of a deadlock or timeout.  Reason code \"68\".  SQLSTATE=40001\n",
			}},
			ServerError{Code: -911, State: "40001", Reason: 68},
		},
		"ReasonInGerman": {
			[]Diagnostic{{
				-911, "40001", "[IBM][CLI Driver][DB2/LINUXX8664] SQL0911N  Die aktuelle Transaktion wurde aufgrund eines " +
					"Deadlocks oder einer Zeitlimitüberschreitung rückgängig gemacht.  Ursachencode: \"68\".  SQLSTATE=40001\n",
			}},
			ServerError{Code: -911, State: "40001", Reason: 68},
		},
		"NoCode": {
			[]Diagnostic{{0, "HY000", "[IBM][CLI Driver] SQL30081N  A communication error has been detected.  SQLSTATE=08001"}},
			ServerError{Code: -30081, State: "08001"},
		},
		"SecondIsDb2's": {
			[]Diagnostic{
				{-99999, "01004", "[IBM][CLI Driver] CLI0002W  Data truncated. SQLSTATE=01004"},
				{-803, "23505", "[IBM][CLI Driver][DB2/LINUXX8664] SQL0803N  One or more values  SQLSTATE=23505"},
			},
			ServerError{Code: -803, State: "23505"},
		},
		"ClientOnly": {
			[]Diagnostic{{-99999, "HY010", "[IBM][CLI Driver] CLI0125E  Function sequence error. SQLSTATE=HY010"}},
			ServerError{Code: -99999, State: "HY010"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := serverError(c.diagnostics)
			got.Message = ""
			require.Equal(t, c.want, *got)
		})
	}
	other := errors.New("no error of the server")
	require.Equal(t, other, diagnosed(other))
}
