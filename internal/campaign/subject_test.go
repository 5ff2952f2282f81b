package campaign

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// testSubject takes a subject through the steps of a campaign. with calls a function with the open store
// between the steps.
func testSubject(t *testing.T, e Subject, with func(do func(tpox.Store) error) error) {
	t.Helper()
	ctx := t.Context()
	d := dataset.New(dataset.Spec{Seed: 1})
	holds := func() string {
		name, err := e.Holds(ctx)
		require.NoError(t, err)
		return name
	}
	insert := func() {
		require.NoError(t, with(func(s tpox.Store) error {
			_, err := s.InsertOrder(ctx, tpox.Write{Now: time.Now()},
				d.AppendNewOrder(nil, 1, dataset.NewOrder{ID: 999_999}))
			return err
		}))
	}
	require.NoError(t, e.Create(ctx))
	require.Empty(t, holds())
	insert()
	require.Equal(t, "documents that were not loaded", holds())
	require.NoError(t, e.Create(ctx), "replaces the other")
	require.Empty(t, holds())

	require.NoError(t, e.Load(ctx, d, func(int, int64) {}))
	require.Equal(t, d.Fingerprint(), holds())
	stamp, err := contentsOf(ctx, e.URL())
	require.NoError(t, err)
	require.Equal(t, d.Fingerprint(), stamp.Fingerprint)
	require.NoError(t, e.Statistics(ctx))

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
	insert()
	restored, err := e.Restore(ctx)
	require.NoError(t, err)
	require.Equal(t, backup, restored)
	insert() // it would be refused if the order were still there
}
