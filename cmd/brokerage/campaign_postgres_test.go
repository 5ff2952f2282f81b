package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/result"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

// A whole campaign on a server.
func TestCampaign_Postgres(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	server := pgtest.Start(t)
	folder := t.TempDir()
	r := brokerage(t.Context(),
		shortly(folder, "--allow-invalid", "--db", server.URL(server.Database(t)), "--users", "2", "--steps",
			"population,query,cores", "--cpus", "1")...)
	require.Equal(t, exitOK, r.code, r.err)
	requireBySchema(t, folder+"/"+campaign.File)
	record := campaignIn(t, folder)
	require.True(t, record.Complete)
	require.Equal(t, "postgres", record.Store.Engine)
	require.Equal(t, "4", record.Store.Settings["random_page_cost"], "out of the box")

	runs := make(map[string]result.Run)
	for _, s := range record.Steps {
		require.Equal(t, campaign.Done, s.State, s.Name)
		if run := s.Run; run != nil {
			require.Empty(t, run.Total.Unexpected, s.Name)
			require.NotNil(t, run.Usage.Database, s.Name)
			require.Positive(t, run.Usage.Database.MemoryAfter, s.Name)
			require.Contains(t, run.Usage.Figures, "brokerage_store_page_hits_total")
			runs[s.Name] = *run
		}
	}
	require.Equal(t, "4", runs["query, 2 users"].Settings["random_page_cost"])
	require.Equal(t, "2", runs["query, 2 users"].Settings["pool"], "a user has a connection of its own")
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
