package postgres

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
)

// archived waits until all changes so far are in the archive.
func archived(t testing.TB, server *pgtest.Server) {
	t.Helper()
	conn := server.Connect(t, "postgres")
	defer func() { _ = conn.Close(context.Background()) }() // nothing is left to learn
	var last string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT pg_walfile_name(pg_switch_wal())").Scan(&last))
	require.Eventually(t, func() bool {
		var done bool
		err := conn.QueryRow(t.Context(),
			"SELECT coalesce(last_archived_wal, '') >= $1 FROM pg_stat_archiver", last).Scan(&done)
		return err == nil && done
	}, time.Minute, 10*time.Millisecond)
}

// What docs/postgres.md says of recovery: a backup of the server's files and the archive of its changes give the
// database as it was at any time in between.
func TestRecovery(t *testing.T) {
	if testing.Short() {
		t.Skip("three copies of a server take half a minute")
	}
	server := pgtest.Start(t, pgtest.Archiving...)
	ctx, d := t.Context(), generator(t, "tiny")
	s := opened(t, server.URL("postgres"), Options{})
	require.NoError(t, s.LoadDataset(ctx, d, nil))
	first, second, damaged := server.Backup(t), server.Backup(t), server.Backup(t)

	const before, after = 900_000_000_001, 900_000_000_002
	insert := func(id int64) {
		_, err := s.InsertOrder(ctx, now(), order(d, id))
		require.NoError(t, err)
	}
	w := now()
	w.Once = &brokerage.Once{Client: "ann", Key: "k", Expires: time.Now().Add(time.Hour)}
	account := d.FirstAccount(0)
	symbol := d.Symbol(int(account % d.Count(dataset.Security)))
	wanted := brokerage.Trade{Side: brokerage.Buy, Symbol: symbol, Quantity: "1", Now: w.Now}
	trade := func(s *Store) string {
		answer, err := s.Trade(ctx, w, brokerage.ID(account), wanted)
		require.NoError(t, err)
		return string(answer)
	}
	insert(before)
	confirmed := trade(s)
	var good time.Time // by the server's clock
	require.NoError(t, s.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&good))
	// The mistake: all orders are deleted, and clients keep writing.
	_, err := s.pool.Exec(ctx, "DELETE FROM brokerage.orders")
	require.NoError(t, err)
	insert(after)
	archived(t, server)

	t.Run("AtThatTime", func(t *testing.T) {
		require.NoError(t, first.Verify(t))
		recovered, err := first.Recover(good)
		require.NoError(t, err)
		then := opened(t, recovered.URL("postgres"), Options{})
		for id, there := range map[brokerage.ID]bool{103282: true, before: true, after: false} {
			_, err := then.GetOrder(ctx, id)
			require.Equal(t, there, err == nil, "%d: %v", id, err)
		}
		require.Equal(t, confirmed, trade(then), "the key has its answer")
		requireSound(t, then)
		require.NoError(t, then.Close())
	})
	t.Run("ChangesMissing", func(t *testing.T) {
		entries, err := os.ReadDir(second.Archive())
		require.NoError(t, err)
		last := "" // what was written after the backups is in it
		for _, entry := range entries {
			if filepath.Ext(entry.Name()) == "" {
				last = entry.Name()
			}
		}
		require.NoError(t, os.Remove(filepath.Join(second.Archive(), last)))
		_, err = second.Recover(good)
		require.ErrorContains(t, err, "recovery ended before configured recovery target was reached")
	})
	t.Run("Damaged", func(t *testing.T) {
		require.NoError(t, damaged.Verify(t))
		file := largest(t, filepath.Join(damaged.Folder(), "base"))
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		require.NoError(t, err)
		var b [1]byte
		_, err = f.ReadAt(b[:], 5000)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte{b[0] ^ 1}, 5000)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.ErrorContains(t, damaged.Verify(t), "checksum mismatch")
		require.NoError(t, os.Truncate(file, 5000))
		require.ErrorContains(t, damaged.Verify(t), "has size")
		require.NoError(t, os.Remove(file))
		require.ErrorContains(t, damaged.Verify(t), "not on disk")
	})
}

func largest(t testing.TB, dir string) (path string) {
	t.Helper()
	var most int64
	require.NoError(t, filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && info.Size() > most {
			path, most = p, info.Size()
		}
		return err
	}))
	return path
}
