package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/result"
)

// The page begins with what was measured, what limits the throughput, and why it may not be compared. The summary has
// at most ten lines, the Answer last.
func TestConclusion(t *testing.T) {
	c := madeUpCampaign()
	page := html(t, FromCampaign(c))
	requirePage(t, page)
	head, _, _ := strings.Cut(page, "<nav")
	answer := "mixed: 3,994 transactions a second at 300 users on 300 connections, p99 451 ms, on sqlite 3.51.0 with " +
		"XXS of tpox-2."
	for _, text := range []string{answer, "insert-orders: 5,648 a second, 30.5 GB/h, p99 ",
		"crash: acknowledged 12,345, lost 0, applied twice 0, unknown 7 (applied 3); " +
			"broken after 10.0 s: answers again after 0.8 s",
		"the processor: 94 % busy (service 69 %, load generator 22 %); the throughput still grew at the greatest number of " +
			"users", "the data (1.21 GB) fit into memory (8.00 GB)",
		"population by insert-customers: 1,897 a second, 45.1 GB/h, from 2,000 in the first stage to 1,800 in the last",
	} {
		require.Contains(t, head, text)
	}
	var out strings.Builder
	require.NoError(t, FromCampaign(c).WriteSummary(&out, "c.html"))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.LessOrEqual(t, len(lines), 10)
	require.Equal(t, answer, lines[len(lines)-1])
	require.Contains(t, lines, "report: c.html")

	c.Smoke, c.Complete, c.Unfinished = true, false, "interrupted"
	c.Steps[6].Run.Validity = result.Validity{Reasons: []string{"not steady"}}
	not := strings.Join(concluded(c, groupsOf(c)).Not, "\n")
	require.Contains(t, not, "the campaign is not complete: interrupted\nINVALID: 1 step of 29\nSMOKE: too short")

	empty := &campaign.Record{Complete: true}
	require.Equal(t, &conclusion{Answer: "Nothing was measured."}, concluded(empty, nil))
}
