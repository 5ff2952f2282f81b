package campaign

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	_ "brokerage/internal/store/sqlite"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// open returns the subject for a URL, with its backup in a new folder.
func open(t testing.TB, url string, commands Commands) Subject {
	t.Helper()
	e, err := Open(url, t.TempDir(), commands)
	require.NoError(t, err)
	return e
}

// insert inserts an order, which is refused if the database has it.
func insert(t testing.TB, e Subject) {
	t.Helper()
	s, err := store.Open(t.Context(), e.URL(), store.Options{})
	require.NoError(t, err)
	_, err = s.InsertOrder(t.Context(), tpox.Write{Now: time.Now()},
		dataset.New(dataset.Spec{Seed: 1}).AppendNewOrder(nil, 1, dataset.NewOrder{ID: 999_999}))
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// testSubject takes a subject through the steps of a campaign, and returns how it describes itself.
func testSubject(t *testing.T, e Subject) StoreStamp {
	t.Helper()
	ctx := t.Context()
	d := dataset.New(dataset.Spec{Seed: 1})
	holds := func() string {
		name, err := e.Holds(ctx)
		require.NoError(t, err)
		return name
	}
	require.Empty(t, holds())
	insert(t, e)
	require.Equal(t, "documents that no load has written", holds())

	require.NoError(t, e.Load(ctx, d, func(int, int64) {}), "it replaces the order")
	require.Equal(t, d.Fingerprint(), holds())
	is, contents, err := e.Describe(ctx)
	require.NoError(t, err)
	require.Equal(t, d.Fingerprint(), contents.Fingerprint)

	space, err := e.Space(ctx)
	require.NoError(t, err)
	require.Equal(t, d.Count(dataset.Order), space.Kinds[dataset.Order].Documents)
	require.Greater(t, space.Total, space.Raw/4)
	for _, k := range space.Kinds {
		require.Positive(t, k.Raw)
		require.Positive(t, k.Stored)
	}
	require.NotEmpty(t, space.Indexes)

	require.NoFileExists(t, e.BackupFile())
	backup, err := e.Backup(ctx)
	require.NoError(t, err)
	require.FileExists(t, e.BackupFile())
	insert(t, e)
	restored, err := e.Restore(ctx)
	require.NoError(t, err)
	require.Equal(t, backup, restored)
	insert(t, e)
	return is
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "b.db")
	e := open(t, "sqlite:"+path, Commands{})
	name, err := e.Holds(t.Context())
	require.NoError(t, err)
	require.Empty(t, name)
	require.NoFileExists(t, path, "Holds creates nothing")
	is := testSubject(t, e)
	require.Equal(t, "sqlite", is.Engine)
	require.Regexp(t, `^3\.`, is.Version)
	require.Contains(t, is.Durability, "flushed")
	require.Equal(t, "4096", is.Settings["page_size"])
}

// unmeasurable is a store whose size cannot be read.
type unmeasurable struct{ store.Bulk }

func (unmeasurable) Space(context.Context) (store.Space, error) {
	return store.Space{}, context.Canceled
}
func (unmeasurable) Close() error { return nil }

// If the sizes cannot be read, there is no Space with zeros.
func TestSpace_Fails(t *testing.T) {
	e := database{Database: store.Database{Engine: &store.Engine{
		Open: func(context.Context, string, store.Options) (tpox.Store, error) { return unmeasurable{}, nil },
	}}}
	space, err := e.Space(t.Context())
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, space)
}

func TestDB2(t *testing.T) {
	marks := filepath.Join(t.TempDir(), "marks")
	e := open(t, "db2://me@h/TPOX", Commands{Backup: "echo b >>" + marks, Restore: "cat " + marks + "; exit 3"})
	require.NotEmpty(t, e.BackupFile())
	_, err := e.Backup(t.Context())
	require.NoError(t, err)
	require.Equal(t, "b\n", testenv.Text(t, marks))
	_, err = e.Restore(t.Context())
	require.ErrorContains(t, err, "exit status 3\nb")
	require.Empty(t, open(t, "db2://me@h/TPOX", Commands{Backup: "true"}).BackupFile(), "it could not be restored")
}
