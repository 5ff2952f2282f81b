package main

import (
	"context"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/result"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

// A whole campaign on a server, which has its old settings at the end.
func TestCampaign_Postgres(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	server := pgtest.Start(t)
	folder := t.TempDir()
	r := brokerage(t.Context(),
		shortly(folder, "--allow-invalid", "--db", server.URL(server.Database(t)), "--tuned", "--users", "2", "--workloads",
			"query",
			"--stages", "1", "--stage", "200ms", "--cpus", "0")...)
	require.Equal(t, exitOK, r.code, r.err)
	requireBySchema(t, folder+"/"+campaign.File)
	record := campaignIn(t, folder)
	require.True(t, record.Complete)
	require.Equal(t, "postgres", record.Store.Engine)
	require.Equal(t, "4", record.Store.Settings["random_page_cost"], "out of the box")
	require.Empty(t, alteredSettings(t, server))

	runs := make(map[string]result.Run)
	for _, s := range record.Steps {
		require.Equal(t, campaign.Done, s.State, s.Name)
		for _, run := range s.Runs {
			require.Empty(t, run.Run.Total.Unexpected, s.Name)
			require.NotNil(t, run.Run.Usage.Database, s.Name)
			require.Positive(t, run.Run.Usage.Database.MemoryAfter, s.Name)
			require.Contains(t, run.Run.Usage.Figures, "brokerage_store_page_hits_total")
			runs[s.Name] = run.Run
		}
	}
	require.Equal(t, "4", runs["query, 2 users"].Settings["random_page_cost"])
	require.Equal(t, "1.1", runs["tuned: query, 2 users"].Settings["random_page_cost"])
	require.Equal(t, "128MB", runs["tuned: query, 2 users"].Settings["shared_buffers"], "it takes a restart")
	require.NotContains(t, testenv.Text(t, folder+"/"+campaign.File), "host=", "a result may be published")
}

// A published study on a server.
func TestCampaign_PostgresPaper(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	server := pgtest.Start(t)
	record := studied(t, "--db", server.URL(server.Database(t)))
	require.Equal(t, "postgres", record.Store.Engine)
}

func alteredSettings(t testing.TB, server *pgtest.Server) (count int) {
	t.Helper()
	conn := server.Connect(t, "postgres")
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	require.NoError(t,
		conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf'").Scan(&count))
	return count
}

// A campaign that is interrupted while the server is tuned restores the settings.
func TestCampaign_PostgresInterrupted(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	server := pgtest.Start(t)
	cmd, lines := process(t,
		shortly(t.TempDir(), "--db", server.URL(server.Database(t)), "--tuned", "--users", "2", "--workloads", "query",
			"--stages", "0", "--cpus", "0", "--repeat", "3", "--think", "2ms")...), &logLines{}
	cmd.Stderr = lines
	require.NoError(t, cmd.Start())
	within(t, startPatience, func() bool { return alteredSettings(t, server) > 0 || ended(cmd.Process.Pid) }, "%s",
		lines)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait() // the code says it
	require.Equal(t, exitEnded, cmd.ProcessState.ExitCode(), lines)
	require.Contains(t, lines.String(), "interrupted")
	require.Zero(t, alteredSettings(t, server))
}
