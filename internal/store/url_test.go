package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// suiteData is the dataset that the suite loads. It marks a database as the suite's own: no scale has these counts.
var (
	suiteCounts = dataset.Counts{Securities: 40, Customers: 24, Orders: 80}
	suiteData   = dataset.NewOf(1, suiteCounts)
)

// urlVariable is the environment variable with the URL of the database for TestURL.
const urlVariable = "BROKERAGE_TEST_URL"

// TestURL runs the conformance suite on a database that somebody else runs: make test-url.
func TestURL(t *testing.T) {
	url := os.Getenv(urlVariable)
	if url == "" {
		testenv.Missing(t, "url", urlVariable+" names no database for the tests to fill and empty")
	}
	runSuite(t, url)
}

func TestURL_Refusals(t *testing.T) {
	server := pgtest.Start(t)
	onPostgres := func(statements string) func(testing.TB) string {
		return func(t testing.TB) string {
			database := server.Database(t)
			server.Exec(t, database, statements)
			return server.URL(database)
		}
	}
	filled := func(newURL func(testing.TB) string, fill func(context.Context, store.Bulk) error) func(testing.TB) string {
		return func(t testing.TB) string {
			url := newURL(t)
			d, err := store.Find(url)
			require.NoError(t, err)
			s, err := d.OpenBulk(t.Context(), store.Options{})
			require.NoError(t, err)
			require.NoError(t, errors.Join(fill(t.Context(), s), s.Close()))
			return url
		}
	}
	loaded := func(ctx context.Context, s store.Bulk) error {
		return s.LoadDataset(ctx, dataset.NewOf(2, suiteCounts), nil)
	}
	oneOrder := func(ctx context.Context, s store.Bulk) error {
		_, err := s.InsertOrder(ctx, tpox.Write{}, suiteData.AppendNewOrder(nil, 1, dataset.NewOrder{ID: 1}))
		return err
	}
	file := func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "b.db") }
	for name, c := range map[string]struct {
		url  func(testing.TB) string
		says string
	}{
		"Nothing":     {func(testing.TB) string { return "null:" }, "null: stores nothing"},
		"LoadedFile":  {filled(file, loaded), "holds tpox-2/24-80/seed-2/"},
		"Loaded":      {filled(onPostgres(""), loaded), "holds tpox-2/24-80/seed-2/"},
		"OneOrder":    {filled(onPostgres(""), oneOrder), "holds documents that no load has left"},
		"OtherTable":  {onPostgres("CREATE TABLE theirs (a int)"), "holds the table theirs"},
		"OtherSchema": {onPostgres("CREATE SCHEMA brokerage; CREATE TABLE brokerage.theirs (a int)"), "of another program"},
	} {
		t.Run(name, func(t *testing.T) {
			url := c.url(t)
			d, err := store.Find(url)
			require.NoError(t, err)
			before := ""
			if d.Path() != "" {
				before = testenv.Text(t, d.Path())
			}
			_, err = usable(t.Context(), url)
			require.ErrorContains(t, err, c.says)
			if d.Path() != "" {
				require.Equal(t, before, testenv.Text(t, d.Path()))
			}
		})
	}
}

// runSuite runs the conformance suite on a database, which it empties before each case.
func runSuite(t *testing.T, url string) {
	d, err := usable(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	var options store.Options // of the store that is open
	opened := func(t testing.TB, s store.Bulk, err error) store.Bulk {
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() }) // a case may have closed it
		return s
	}
	storetest.Run(t, storetest.Options{
		Dataset: suiteData,
		Open: func(t testing.TB, data *dataset.Dataset, rules tpox.Rules) tpox.Store {
			options = store.Options{Rules: rules}
			s, err := d.Empty(t.Context(), options)
			opened(t, s, err)
			require.NoError(t, s.LoadDataset(t.Context(), data, nil))
			return s
		},
		Reopen: func(t testing.TB, s tpox.Store) tpox.Store {
			require.NoError(t, s.Close())
			again, err := d.OpenBulk(t.Context(), options)
			return opened(t, again, err)
		},
	})
}

// usable returns the database of a URL if the suite may empty it: if it is empty, or the suite has filled it before. It
// changes nothing.
func usable(ctx context.Context, url string) (store.Database, error) {
	d, err := store.Find(url)
	if err != nil {
		return d, err
	}
	holds, err := contentOf(ctx, d)
	if err == nil && holds != "" && holds != suiteData.Fingerprint() {
		err = fmt.Errorf("%s holds %s: the suite needs an empty database, or one that it has filled", d.Name(), holds)
	}
	return d, err
}

// contentOf returns the fingerprint of the dataset in a database, or a description of other content; "" for none.
func contentOf(ctx context.Context, d store.Database) (holds string, err error) {
	if d.Scheme == postgres.Scheme {
		if holds, err = otherTable(ctx, d.URL()); holds != "" || err != nil {
			return holds, err
		}
	}
	s, err := d.OpenBulk(ctx, store.Options{AsIs: true})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrEmpty) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if holds, err = store.Holds(ctx, s); holds != "" || err != nil {
		return holds, err
	}
	space, err := s.Space(ctx)
	if space.Documents != [len(dataset.Kinds)]int64{} {
		holds = "documents that no load has left"
	}
	return holds, err
}

// otherTable returns a table outside of the schema brokerage, the only schema that the store reads. Tables of
// extensions do not count.
func otherTable(ctx context.Context, url string) (name string, err error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return "", err
	}
	config.RuntimeParams = nil // some may be the pool's, which the server would refuse
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	err = conn.QueryRow(ctx, `SELECT coalesce(min('the table ' || c.oid::regclass), '') FROM pg_class AS c
		WHERE c.relkind IN ('r', 'p', 'f') AND c.relnamespace NOT IN (
			SELECT oid FROM pg_namespace WHERE nspname IN ('brokerage', 'information_schema') OR nspname LIKE 'pg\_%')
		AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')`).
		Scan(&name)
	return name, err
}
