package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/result"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

// chaosVariable sets how much of the fault suite is run: "short", "full", or nothing. chaosTable names the document to
// write the figures into.
const (
	chaosVariable = "BROKERAGE_CHAOS"
	chaosTable    = "BROKERAGE_CHAOS_TABLE"
)

// harness is a service under load and fault.
type harness struct {
	t    testing.TB
	full bool

	store   string // SQLite, PostgreSQL or Citus
	db, dir string
	args    []string
	env     []string
	binary  string           // of the service; empty: this one
	clock   *chaostest.Clock // of PostgreSQL, if the case has clock
	server  *pgtest.Server   // of PostgreSQL
	link    *chaostest.Proxy // to it, or to a node of Citus
	disk    string           // the database's own
	service *instance
	load    *chaostest.Load
	traders int
	slowest time.Duration // to recover

	cluster  *pgtest.Cluster // of Citus
	database string          // in it
	returned time.Time       // when the last node that failed was back
}

// chaosCase is a fault, and the steps of its test.
type chaosCase struct {
	name, fault string
	stores      []string
	traders     int
	settings    []string // of the PostgreSQL server
	entries     []int    // nodes of Citus that the service connects to
	behind      int      // node of Citus that the others reach through h.link; 0: none
	clock       bool     // PostgreSQL has a clock that can jump
	disk        string   // the size of the database's own disk, if it has one
	run         func(*harness)
}

// TestChaos breaks things under a load of trades and orders. Afterwards every acknowledged write counts exactly once,
// and the database is sound; meanwhile the service returns only temporary errors.
func TestChaos(t *testing.T) {
	full := chaosMode(t)
	var rows []string
	for _, c := range slices.Concat(chaosCases, clusterCases) {
		for _, store := range c.stores {
			t.Run(c.name+"/"+store, func(t *testing.T) {
				h := &harness{t: t, full: full, store: store, traders: max(c.traders, 8)}
				if c.clock {
					h.clock = chaostest.NewClock(t)
				}
				if c.disk != "" {
					h.disk = testenv.SmallDisk(t, c.disk)
				}
				h.open(c)
				c.run(h)
				rows = append(rows, h.finish(c))
			})
		}
	}
	table := "| fault | store | load | requests | acknowledged | lost | counted twice | until all are answered again " +
		"|\n|---|---|---|---|---|---|---|---|\n" + strings.Join(rows, "")
	t.Log("\n" + table)
	if file := os.Getenv(chaosTable); file != "" && !t.Failed() {
		writeTable(t, file, table)
	}
}

// chaosMode skips a test that is not part of this run, and reports whether the run is the full one.
func chaosMode(t testing.TB) (full bool) {
	t.Helper()
	mode := os.Getenv(chaosVariable)
	if mode != "short" && mode != "full" {
		t.Skip(chaosVariable + " is neither short nor full")
	}
	return mode == "full"
}

// writeTable puts a table between the marks of a document.
func writeTable(t testing.TB, file, table string) {
	t.Helper()
	const begin, end = "<!-- begin: make chaos -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(testenv.Text(t, file), begin)
	require.True(t, ok, "%s has no %s", file, begin)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	require.NoError(t, os.WriteFile(file, []byte(before+begin+table+end+after), 0o644)) //nolint:gosec // a document
}

// durable are PostgreSQL's default settings. With those of other tests, the last writes are lost when the server is
// killed.
var durable = []string{"fsync=on", "synchronous_commit=on", "full_page_writes=on"}

// open makes a database with data.
func (h *harness) open(c chaosCase) {
	h.t.Helper()
	if h.store == "SQLite" {
		h.dir = tinyDB(h.t)
		h.db = "sqlite:" + filepath.Join(h.dir, "brokerage.db")
		return
	}
	h.dir = h.t.TempDir()
	settings := slices.Concat(durable, c.settings)
	if h.store == "Citus" {
		h.openCluster(c, settings)
		return
	}
	var env []string
	if h.clock != nil {
		env = h.clock.Preload(h.t)
	}
	h.server = pgtest.StartIn(h.t, h.disk, env, settings...)
	succeeds(h.t, "load", "--db", h.server.URL("postgres"))
	h.link = chaostest.NewProxy(h.t, "unix", h.server.Socket())
	h.db = h.server.URLAt(h.link.Addr().String(), "postgres")
}

// start starts the service, and the load with it the first time.
func (h *harness) start() {
	h.t.Helper()
	h.service = launch{h.binary, h.dir, h.env}.start(h.t, append([]string{"--db", h.db}, h.args...)...).listening(h.t)
	if h.load != nil {
		h.load.Move(h.service.url)
		return
	}
	h.load = chaostest.Start(h.t, dataset.New(dataset.Spec{Seed: 1}), h.traders, h.service.url)
	h.load.Await(h.t, 50)
}

// lasts waits while a fault lasts.
func (h *harness) lasts() {
	time.Sleep(map[bool]time.Duration{true: 3 * time.Second, false: time.Second}[h.full])
}

// often causes a fault, three times in a full run, and waits for the recovery each time.
func (h *harness) often(fault func()) {
	for range map[bool]int{true: 3, false: 1}[h.full] {
		fault()
		h.lifted()
		h.load.Await(h.t, 50)
	}
}

// generous limits a recovery, even on a busy machine; TestChaos reports the measured time.
const generous = 30 * time.Second

// lifted measures the time from now until every client gets responses again.
func (h *harness) lifted() {
	h.t.Helper()
	took := h.load.Recovered(h.t)
	h.slowest = max(h.slowest, took)
	require.Less(h.t, took, generous)
}

// finish reads everything back and verifies the database.
func (h *harness) finish(c chaosCase) (row string) {
	h.t.Helper()
	tally := h.load.Stop(h.t)
	h.service.stop(h.t)
	db := h.db
	switch {
	case h.server != nil:
		db = h.server.URL("postgres")
	case h.cluster != nil:
		// No transaction is running any more. Citus gets five seconds to recover those prepared on the last failed node.
		time.Sleep(time.Until(h.returned.Add(5 * time.Second)))
		h.cluster.RequireNothingPrepared(h.t)
		db = h.cluster.URL(h.database, 0)
	}
	h.t.Logf("%+v, all answered again after %v at most", tally, h.slowest)
	succeeds(h.t, "verify", "--db", db)
	kept := result.Proof{Acknowledged: tally.Acknowledged} // nothing is lost, twice or unknown
	require.Equal(h.t, kept.String()+"\n", succeeds(h.t, "verify", "--db", db, "--ledger", h.load.Ledger).out)
	recovery := "not measured"
	if h.slowest > 0 {
		recovery = fmt.Sprintf("%.2f s", h.slowest.Seconds())
	}
	return fmt.Sprintf("| %s | %s | %d traders | %d | %d | %d | %d | %s |\n", c.fault, h.store, h.traders,
		tally.Tried, kept.Acknowledged, kept.Lost, kept.Twice, recovery)
}
