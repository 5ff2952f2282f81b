package campaign

import (
	"fmt"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// postgresIn returns the subject for a database of a server.
func postgresIn(t testing.TB, url string) postgresSubject {
	t.Helper()
	e, err := Open(url, t.TempDir(), Commands{})
	require.NoError(t, err)
	return e.(postgresSubject)
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	e := postgresIn(t, server.URL(server.Database(t)))
	ctx := t.Context()
	name, err := e.Holds(ctx)
	require.NoError(t, err)
	require.Empty(t, name)
	require.ErrorIs(t, e.with(ctx, true, nil), store.ErrEmpty, "Holds creates nothing")
	testSubject(t, e, func(do func(tpox.Store) error) error {
		return e.with(ctx, true, func(s store.Bulk) error { return do(s) })
	})

	is, err := e.Describe(ctx)
	require.NoError(t, err)
	require.Equal(t, "postgres", is.Engine)
	require.NotContains(t, is.URL, "host=", "a result may be published")
	require.Equal(t, "off", is.Settings["fsync"])
	require.Equal(t, "128MB", is.Settings["shared_buffers"])
	require.Equal(t, "on", is.Settings["data_checksums"])

	most, err := e.Connections(ctx)
	require.NoError(t, err)
	require.Positive(t, most)

	server.Halt(t)
	server.DisableChecksums(t)
	server.Again(t)
	is, err = e.Describe(ctx)
	require.NoError(t, err)
	require.Equal(t, "off", is.Settings["data_checksums"])
}

// A cluster is in the loaded state again after a restore, without a backup.
func TestPostgres_Cluster(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	e, err := Open(cluster.URL(cluster.Database(t), 0)+"&distribute=4", t.TempDir(), Commands{})
	require.NoError(t, err)
	d := dataset.New(dataset.Spec{Seed: 1})
	require.NoError(t, e.Create(t.Context()))
	require.NoError(t, e.Load(t.Context(), d, func(int, int64) {}))
	s, err := store.Open(t.Context(), e.URL(), store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })

	r := running{Campaign: &Campaign{Subject: e}, dataset: d}
	for range 2 { // the second insert would be refused if the order were still there
		_, err = s.InsertOrder(t.Context(), tpox.Write{Now: time.Now()},
			d.AppendNewOrder(nil, 1, dataset.NewOrder{ID: 999_999}))
		require.NoError(t, err)
		r.intact = false
		require.NoError(t, r.restore(t.Context()))
	}
	name, err := e.Holds(t.Context())
	require.NoError(t, err)
	require.Equal(t, d.Fingerprint(), name)
	is, err := e.Describe(t.Context())
	require.NoError(t, err)
	require.Equal(t, "on", is.Settings["distributed"])
	_, err = e.Backup(t.Context())
	require.ErrorContains(t, err, "a Citus cluster has no snapshot of all nodes")
}

// The processes of the server are found.
func TestPostgres_Watch(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	w, err := postgresIn(t, server.URL("postgres")).database().Watch(t.Context())
	require.NoError(t, err)
	if runtime.GOOS == "linux" {
		require.Equal(t, server.PID(t), w.Process())
	}
	requireLimited(t, w.Process())
	_, err = w.Pools(t.Context())
	require.NoError(t, err)
	require.NoError(t, w.Close())

	w, err = costless.database().Watch(t.Context())
	require.NoError(t, err)
	require.Nil(t, w)
}

// requireLimited requires that the processes of a server can be limited to one core, and have theirs again.
func requireLimited(t *testing.T, server int) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.NumCPU() < 2 {
		return
	}
	allowed := func() string {
		text := testenv.Text(t, fmt.Sprintf("/proc/%d/status", server))
		return regexp.MustCompile(`Cpus_allowed_list:\s*(\S+)`).FindStringSubmatch(text)[1]
	}
	before := allowed()
	undo, err := limitCores(server, 1)
	require.NoError(t, err)
	require.Regexp(t, `^\d+$`, allowed())
	require.NoError(t, undo())
	require.Equal(t, before, allowed())
}
