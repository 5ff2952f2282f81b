package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
)

// A service reports whether its database detects damaged pages, and so does the description of a run.
func TestServe_Checksums(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	url := server.URL("postgres")
	require.Zero(t, brokerage(t.Context(), "load", "--db", url, "--scale", "tiny").code)
	served := func() (logs, dataset string) {
		i := serving(t, "", "--db", url)
		answer := get(t, i.url+"/v1/dataset")
		require.Equal(t, http.StatusOK, answer.status)
		i.stop(t)
		return i.logs.String(), answer.body
	}
	const warning = "the server has no page checksums"
	logs, dataset := served()
	require.NotContains(t, logs, warning)
	require.Contains(t, logs, `"data_checksums":"on"`)
	require.Contains(t, dataset, `<Setting name="data_checksums" value="on">`)

	server.Halt(t)
	server.DisableChecksums(t)
	server.Again(t)
	logs, dataset = served()
	require.Contains(t, logs, warning)
	require.Contains(t, dataset, `<Setting name="data_checksums" value="off">`)
}
