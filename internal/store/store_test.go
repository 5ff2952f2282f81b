package store_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	_ "brokerage/internal/store/db2"
	"brokerage/internal/store/null"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

func TestFind(t *testing.T) {
	for name, c := range map[string]struct{ url, scheme, path string }{
		"SQLite":        {"sqlite:brokerage.db", "sqlite", "brokerage.db"},
		"Absolute":      {"sqlite:/var/lib/b.db", "sqlite", "/var/lib/b.db"},
		"PathLiterally": {"sqlite:a b%20#y:z", "sqlite", "a b%20#y:z"},
		"Postgres":      {"postgres://u:p@h:1/d?sslmode=disable", "postgres", ""},
		"Null":          {"null:", "null", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := store.Find(c.url)
			require.NoError(t, err)
			require.Equal(t, c.scheme, d.Scheme)
			require.Equal(t, c.path, d.Path())
			require.Equal(t, c.url, d.URL())
		})
	}
}

func TestFind_Refusals(t *testing.T) {
	const forms = "use one of db2://USER@HOST:PORT/DATABASE, null:, postgres://USER@HOST/DATABASE, sqlite:PATH"
	for name, c := range map[string]struct{ url, says string }{
		"Empty": {"", forms},
		"NoScheme": {
			"brokerage.db",
			`"brokerage.db" is not the URL of a database: did you mean sqlite:brokerage.db? Otherwise ` + forms,
		},
		"OtherScheme":   {"oracle:x", "this is not the URL of a database: " + forms},
		"OtherCase":     {"SQLite:x", forms},
		"NoPath":        {"sqlite:", "sqlite:PATH"},
		"MoreThanNull":  {"null:x", "null: takes no further text"},
		"NothingScheme": {":x", forms},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := store.Find(c.url)
			require.ErrorContains(t, err, c.says)
			s, err := store.Open(t.Context(), c.url, store.Options{})
			require.ErrorContains(t, err, c.says)
			require.Nil(t, s)
		})
	}
}

// The error for a refused URL is printed, and the URL may hold a password.
func TestFind_NoSecrets(t *testing.T) {
	for _, url := range []string{
		"oracle://user:secret@host/db", "postgres://user:secret@host:port/db",
		"postgres://user:secret@host/db?pool_max_conns=x",
	} {
		_, err := store.Find(url)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestPublished(t *testing.T) {
	for url, want := range map[string]string{
		"sqlite:/home/ann/a@b": "sqlite:a@b", "null:": "null:",
		"postgres://user:secret@host:5432/db?sslmode=disable": "postgres://host:5432/db",
		"postgres://host/db":           "postgres://host/db",
		"postgres://me:p%40ss@host/db": "postgres://host/db",
		"postgres://me:p@ss@host/db":   "(not shown: it may hold a password)",
	} {
		require.Equal(t, want, store.Published(url))
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b%20#x=1.db")
	for url, want := range map[string]tpox.Store{
		"sqlite:" + path: (*sqlite.Store)(nil), "null:": (*null.Store)(nil),
	} {
		s, err := store.Open(t.Context(), url, store.Options{Pool: 3})
		require.NoError(t, err)
		require.IsType(t, want, s)
		require.NoError(t, s.Ready(t.Context()))
		require.NoError(t, s.Close())
	}
	require.FileExists(t, path)
}

// Options are passed on: an account is full with the positions it has, and a new document is stored without
// compression.
func TestOpen_Options(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.db")
	s, err := store.Open(t.Context(), "sqlite:"+path,
		store.Options{Uncompressed: true, Rules: tpox.Rules{MaxHoldings: 1}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	d := dataset.New(dataset.Spec{Seed: 1})
	require.NoError(t, s.(*sqlite.Store).LoadDataset(t.Context(), d, nil))

	account := d.FirstAccount(0)
	customer := string(d.Append(nil, dataset.Customer, 0))
	i := 0
	for strings.Contains(customer, "<Symbol>"+d.Symbol(i)+"</Symbol>") {
		i++
	}
	_, err = s.Trade(t.Context(), tpox.Write{}, tpox.ID(account),
		tpox.Trade{Side: tpox.Buy, Symbol: d.Symbol(i), Quantity: "1"})
	full, ok := errors.AsType[*tpox.Conflict](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, tpox.TooManyHoldings, full.Reason)

	order := d.AppendNewOrder(nil, 5, dataset.NewOrder{ID: 999})
	_, err = s.InsertOrder(t.Context(), tpox.Write{}, order)
	require.NoError(t, err)
	require.True(t, bytes.Contains([]byte(testenv.Text(t, path+"-wal")), order))
}

// A store that cannot be opened is nil, not an interface with a nil pointer.
func TestOpen_Fails(t *testing.T) {
	s, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "none", "b.db"), store.Options{})
	require.Error(t, err)
	if s != nil { // require.Nil is content with a nil pointer
		t.Fatalf("a store of %T beside the error", s)
	}
}
