package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/result"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/testenv/schematest"
	"brokerage/internal/tpox"
)

// shortly returns the arguments of a campaign of a second or two. On a busy machine, such short runs may be INVALID,
// which --allow-invalid ignores.
func shortly(folder string, more ...string) []string {
	return append([]string{
		"campaign", "--preset", "smoke", "--scale", "tiny", "--out", folder, "--warm-up", "100ms", "--duration", "200ms",
	}, more...)
}

func campaignIn(t testing.TB, folder string) *campaign.Record {
	t.Helper()
	r, err := campaign.Read(filepath.Join(folder, campaign.File))
	require.NoError(t, err)
	return r
}

// doneIn returns the record of the campaign in a folder, which must be complete and valid by its schema.
func doneIn(t testing.TB, folder string) *campaign.Record {
	t.Helper()
	text := testenv.Text(t, filepath.Join(folder, campaign.File))
	schematest.Require(t, schematest.Compile(t, campaign.Schema, result.Schema), []byte(text))
	record := campaignIn(t, folder)
	require.True(t, record.Complete)
	for _, s := range record.Steps {
		require.Equal(t, campaign.Done, s.State, s.Name)
	}
	return record
}

// A whole campaign, with the service in a separate process.
func TestCampaign(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new")
	whole := shortly(folder, "--allow-invalid", "--users", "2", "--steps", "population,mixed,cores", "--cpus", "1")
	r := succeeds(t, whole...)
	summary := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	require.LessOrEqual(t, len(summary), 10)
	require.Contains(t, summary, "report: "+filepath.Join(folder, "campaign.html"))
	require.Regexp(t, `^mixed: .* transactions a second at 2 users on 2 connections, p99 `, summary[len(summary)-1])
	require.Contains(t, r.err, "figures do not count")
	require.FileExists(t, filepath.Join(folder, "campaign.html"))

	record := doneIn(t, folder)
	require.True(t, record.Smoke)
	require.Equal(t, "tpox-2/tiny/seed-1/v1/500-200-2000", record.Dataset.Fingerprint)
	require.Equal(t, "sqlite", record.Store.Engine)
	require.Positive(t, record.Machine.FlushP50)
	for _, s := range record.Steps {
		if run := s.Run; run != nil {
			require.Positive(t, run.Total.Good, s.Name)
			require.Empty(t, run.Total.Unexpected, s.Name)
			require.Equal(t, record.Dataset.Fingerprint, run.Dataset.Fingerprint)
			require.NotNil(t, run.Usage.Service, s.Name)
			require.Positive(t, run.Usage.Service.CPUSeconds, s.Name)
			require.Positive(t, run.Usage.Generator.CPUSeconds, s.Name)
			require.False(t, run.Usage.Shared, "a process of its own")
		}
		for _, g := range s.Inserts {
			require.Positive(t, g.Documents)
			require.Positive(t, g.Rate)
		}
	}

	require.Contains(t, succeeds(t, whole...).err, "nothing to do")
}

// A published study with few documents and users, populated by its users, with the service in a separate process.
func TestCampaign_Paper(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "study")
	study := []string{
		"campaign", "--preset", "paper-2007", "--scale", "tiny", "--data-scale", "0.0001", "--time-scale", "0.00002",
		"--users", "2,4", "--reference", "4", "--cpus", "1", "--allow-invalid", "--out", folder,
	}
	planned := succeeds(t, append(study, "--plan")...)
	require.NoFileExists(t, folder)
	succeeds(t, study...)
	record := doneIn(t, folder)
	require.Equal(t, "tpox-1/tiny/seed-1/v1/500-200-2000", record.Dataset.Fingerprint)
	require.Equal(t, []float64{0.0001, 0.00002}, []float64{record.Settings.DataScale, record.Settings.TimeScale})
	counts := map[string]int64{}
	for _, s := range record.Steps {
		require.Contains(t, planned.out, s.Name)
		for _, g := range s.Inserts {
			require.Empty(t, g.Run.Total.Unexpected, s.Name)
			counts[s.Name+" "+g.Workload] += g.Run.Total.Good
			require.Equal(t, record.Dataset.Fingerprint, g.Run.Dataset.Fingerprint)
		}
		if s.Run != nil {
			require.Empty(t, s.Run.Total.Unexpected, s.Name)
			if s.Plan.Documents > 0 {
				counts[s.Name] = s.Run.Total.Good
			}
		}
	}
	require.Equal(t, map[string]int64{
		"population insert-customers": 200, "population insert-orders": 2000,
		"insert-orders, 1,500 documents, 100 users": 1500, "insert-customers, 300 documents, 50 users": 300,
	}, counts)
}

// A campaign with an INVALID run does all its steps, and writes them.
func TestCampaign_Invalid(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	folder := t.TempDir()
	args := shortly(folder, "--users", "2", "--steps", invalidWorkload(t)+",query")
	for range 2 { // the second time there is nothing to do, and the figures are no better
		r := brokerage(t.Context(), args...)
		require.Equal(t, exitInvalid, r.code, r.err)
		require.Contains(t, r.out, "report: ")
		require.Contains(t, r.err, "step INVALID: own")
		// On a busy machine, one of the runs may measure nothing at all; that reason is printed first.
		require.Regexp(t, "nothing of the user's own to delete|nothing was measured", r.err)
	}
	require.Len(t, doneIn(t, folder).Invalid(), 1)
	succeeds(t, append(args, "--allow-invalid")...)
}

// A campaign that gets a signal writes its results and how to continue; the same command continues it.
func TestCampaign_EndsEarly(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	folder := t.TempDir()
	args := shortly(folder, "--allow-invalid", "--steps", "query", "--users", "2,3,4", "--think", "2ms")
	cmd, lines := process(t, args...), &logLines{}
	cmd.Stderr = lines
	require.NoError(t, cmd.Start())
	within(t, startPatience, func() bool { return strings.Contains(lines.String(), "restore ") }, "%s", lines)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait() // the exit code is checked
	require.Equal(t, exitEnded, cmd.ProcessState.ExitCode(), lines)
	require.Contains(t, lines.String(), "interrupted")
	require.Contains(t, lines.String(), "the same command, without --replace, continues it")
	require.False(t, campaignIn(t, folder).Complete)
	require.FileExists(t, filepath.Join(folder, "campaign.html"))

	resumed := succeeds(t, args...)
	require.NotContains(t, resumed.err, "  load ", "it was loaded")
	require.True(t, campaignIn(t, folder).Complete)
}

// A campaign kills its service, which answers again and has kept what it acknowledged. A preset may be a file.
func TestCampaign_Crash(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	folder := t.TempDir()
	preset := testenv.File(t, "mine.yaml", "scale: tiny\nprofile: tpox-2\nseed: 1\nsteps: [crash]\nusers: [4]\n"+
		"warmUp: 1s\nduration: 3s\n")
	r := succeeds(t, "campaign", "--preset", preset, "--out", folder)
	require.Contains(t, r.out, "crash: acknowledged ")
	record := doneIn(t, folder)
	require.Equal(t, "mine", record.Preset)
	crash := record.Steps[len(record.Steps)-1].Run
	require.Positive(t, crash.Proof.Acknowledged)
	require.Zero(t, crash.Proof.Lost+crash.Proof.Twice)
	require.Empty(t, crash.Break.Failed)
	require.Positive(t, crash.Break.Again)
	require.NoFileExists(t, filepath.Join(folder, "crash.ledger"))
}

// A campaign measures a database whose settings are not durable, and says so.
func TestCampaign_NotDurable(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	folder := t.TempDir()
	succeeds(t, shortly(folder, "--allow-invalid", "--db", "sqlite:"+filepath.Join(folder, "b.db?synchronous=normal"),
		"--users", "1", "--steps", "query")...)
	require.Equal(t, tpox.NotDurable, doneIn(t, folder).Store.Durability)
}

// A complete campaign whose page cannot be written has failed, but did not end early.
func TestCampaign_PageFails(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	folder := t.TempDir()
	go func() {
		_, err := os.Stat(filepath.Join(folder, campaign.File)) // the command checks the page before this file exists
		for ; err != nil && t.Context().Err() == nil; _, err = os.Stat(filepath.Join(folder, campaign.File)) {
			time.Sleep(time.Millisecond)
		}
		_ = os.Mkdir(filepath.Join(folder, "campaign.html"), 0o777)
	}()
	r := brokerage(t.Context(), shortly(folder, "--allow-invalid", "--users", "1", "--steps", "query")...)
	require.Equal(t, exitFailed, r.code, r.err)
	require.Contains(t, r.err, "campaign.html")
	require.True(t, campaignIn(t, folder).Complete)
}

// The measured service gets the password of the database from the environment, and no setting.
func TestCampaign_Environment(t *testing.T) {
	t.Setenv("BROKERAGE_DB_PASSWORD", "secret")
	t.Setenv("BROKERAGE_POOL", "7")
	environment := underTest("program", nil).Env
	require.True(t, slices.Contains(environment, "BROKERAGE_DB_PASSWORD=secret"))
	require.False(t, slices.Contains(environment, "BROKERAGE_POOL=7"))
}

// A whole campaign on a server.
func TestCampaign_Postgres(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	server := pgtest.Start(t)
	folder := t.TempDir()
	succeeds(t, shortly(folder, "--allow-invalid", "--db", server.URL(server.Database(t)), "--users", "2", "--steps",
		"population,query,cores", "--cpus", "1")...)
	record := doneIn(t, folder)
	require.Equal(t, "postgres", record.Store.Engine)
	require.Equal(t, "4", record.Store.Settings["random_page_cost"], "out of the box")

	for _, s := range record.Steps {
		run := s.Run
		if run == nil {
			continue
		}
		require.Empty(t, run.Total.Unexpected, s.Name)
		require.NotNil(t, run.Usage.Database, s.Name)
		require.Positive(t, run.Usage.Database.MemoryPeak, s.Name)
		require.NotNil(t, run.Resources.Find(result.OfStore, "brokerage_store_page_hits_total"))
		require.Equal(t, "2", run.Settings["pool"], "a user has a connection of its own")
	}
	require.NotContains(t, testenv.Text(t, folder+"/"+campaign.File), "host=", "a result may be published")
}
