package campaign

import (
	"fmt"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	e := open(t, server.URL(server.Database(t)), Commands{}).(postgresDatabase)
	name, err := e.Holds(t.Context())
	require.NoError(t, err)
	require.Empty(t, name)
	require.ErrorIs(t, e.opened(t.Context(), nil), store.ErrEmpty, "Holds creates nothing")
	is := testSubject(t, e)
	require.Equal(t, "postgres", is.Engine)
	require.NotContains(t, is.URL, "host=", "a result may be published")
	require.Equal(t, "128MB", is.Settings["shared_buffers"])
	most, err := e.Connections(t.Context())
	require.NoError(t, err)
	require.Positive(t, most)

	if runtime.GOOS != "linux" || runtime.NumCPU() < 2 {
		return
	}
	allowed := func() string {
		text := testenv.Text(t, fmt.Sprintf("/proc/%d/status", server.PID(t)))
		return regexp.MustCompile(`Cpus_allowed_list:\s*(\S+)`).FindStringSubmatch(text)[1]
	}
	before := allowed()
	undo, err := limitCores(server.PID(t), 1)
	require.NoError(t, err)
	require.Regexp(t, `^\d+$`, allowed())
	require.NoError(t, undo())
	require.Equal(t, before, allowed())
}

// A cluster is in the loaded state again after a restore, without a backup.
func TestPostgres_Cluster(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	e := open(t, cluster.URL(cluster.Database(t), 0)+"&distribute=4", Commands{})
	require.Empty(t, e.BackupFile())
	c := Campaign{Subject: e, dataset: dataset.New(dataset.Spec{Seed: 1})}
	for range 2 { // the second insert would be refused if the order were still there
		c.intact = false
		require.NoError(t, c.restore(t.Context()))
		insert(t, e)
	}
	name, err := e.Holds(t.Context())
	require.NoError(t, err)
	require.Equal(t, c.dataset.Fingerprint(), name)
	is, _, err := e.Describe(t.Context())
	require.NoError(t, err)
	require.Equal(t, "on", is.Settings["distributed"])
}
