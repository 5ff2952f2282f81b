package campaign

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/sqlite"
)

// The life of a database in a campaign.
func TestSQLite(t *testing.T) {
	folder := t.TempDir()
	d := dataset.New(dataset.Spec{Seed: 1})
	opened, err := Open("sqlite:"+filepath.Join(folder, "b.db"), folder, Commands{})
	require.NoError(t, err)
	e := opened.(sqliteEngine)
	ctx := t.Context()
	holds := func() string {
		name, err := e.Holds(ctx)
		require.NoError(t, err)
		return name
	}
	require.Empty(t, holds())
	require.NoFileExists(t, e.path, "asking makes nothing")
	require.NoError(t, e.Create(ctx))
	require.Empty(t, holds())
	insert := func(id int64) {
		require.NoError(t, e.with(ctx, func(s *sqlite.Store) error {
			_, err := s.InsertOrder(ctx, brokerage.Write{Now: time.Now()}, d.AppendNewOrder(nil, 1, dataset.NewOrder{ID: id}))
			return err
		}))
	}
	insert(999_999)
	require.Equal(t, "documents that were not loaded", holds())
	require.NoError(t, e.Create(ctx), "in the place of the other")
	require.Empty(t, holds())

	require.NoError(t, e.Load(ctx, d, func(int, int64) {}))
	require.Equal(t, d.Fingerprint(), holds())
	n, err := e.Loaded(ctx, dataset.Order)
	require.NoError(t, err)
	require.Equal(t, d.Count(dataset.Order), n)
	stamp, err := contentsOf(ctx, e.URL())
	require.NoError(t, err)
	require.Equal(t, d.Fingerprint(), stamp.Fingerprint)
	require.NoError(t, e.Statistics(ctx))

	space, err := e.Space(ctx)
	require.NoError(t, err)
	require.Equal(t, d.Count(dataset.Order), space.documents(dataset.Order))
	for _, k := range space.Kinds {
		require.Positive(t, k.Raw)
		require.InDelta(t, float64(k.Stored)/float64(k.Raw), k.Ratio, 1e-9)
	}
	require.NotEmpty(t, space.Indexes)

	require.False(t, e.BackedUp())
	backup, err := e.Backup(ctx)
	require.NoError(t, err)
	require.True(t, e.BackedUp())
	require.Equal(t, space.Total, backup.Database)
	insert(999_999)
	restored, err := e.Restore(ctx)
	require.NoError(t, err)
	require.Equal(t, backup, restored)
	insert(999_999) // which would be refused if it were still there

	s, err := e.Describe(ctx)
	require.NoError(t, err)
	require.Equal(t, "sqlite", s.Engine)
	require.Regexp(t, `^3\.`, s.Version)
	require.Contains(t, s.Durability, "flushed")
	require.Equal(t, "4096", s.Settings["page_size"])
	require.Contains(t, s.Settings["compression"], "zstd")
	_, err = e.As(Variant{Uncompressed: true}).Describe(ctx)
	require.Error(t, err, "it is not there")

	require.NoError(t, e.Remove(ctx))
	require.NoError(t, e.Remove(ctx), "what is gone is gone")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

// What a variant does to a database of its own is not done to the first.
func TestSQLite_Variants(t *testing.T) {
	folder := t.TempDir()
	e, err := newSQLite(filepath.Join(folder, "b.db"), folder)
	require.NoError(t, err)
	var own []sqliteEngine
	for _, v := range e.Variants(2) {
		if as := e.As(v).(sqliteEngine); as != e {
			require.NotEqual(t, e.path, as.path)
			require.NotEqual(t, e.backup, as.backup)
			require.Equal(t, as, as.As(v))
			own = append(own, as)
		}
	}
	require.Len(t, own, 1)

	d := dataset.New(dataset.Spec{Seed: 1})
	require.NoError(t, own[0].Create(t.Context()))
	require.NoError(t, own[0].Load(t.Context(), d, nil))
	space, err := own[0].Space(t.Context())
	require.NoError(t, err)
	require.Greater(t, space.Total, space.Raw)
	_, bytes := own[0].Room(d, 0)
	require.Greater(t, bytes, float64(3*space.Total))
}

func TestOpen_Refusals(t *testing.T) {
	for url, says := range map[string]string{"": "is not a database", "sqlite:": "without the path", "oracle:x": "no kind of databases"} {
		_, err := Open(url, t.TempDir(), Commands{})
		require.ErrorContains(t, err, says)
	}
}

// What is no database of ours is refused, and left as it is.
func TestSQLite_OtherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.db")
	require.NoError(t, os.WriteFile(path, []byte("a letter, and no database"), 0o600))
	e, err := newSQLite(path, "")
	require.NoError(t, err)
	_, err = e.Holds(t.Context())
	require.Error(t, err)
	require.Error(t, e.Create(t.Context()))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "a letter, and no database", string(text))
}
