package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/format"
	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/store/postgres/pgtest"
)

func verdict(text string, met bool) string {
	if met {
		return text
	}
	return text + ", **missed**"
}

// memoryVariable enables the comparison, and sets a sixth of what each run measures: BROKERAGE_BENCH_MEMORY=10s.
const memoryVariable = "BROKERAGE_BENCH_MEMORY"

// The aims with little memory. The run of TPoX that was published in 2008 had 1.7 I/Os a transaction.
const (
	aimIOs     = 1.7
	aimLongest = time.Second
)

// scarce compares the mixed workload on a database that is larger than the memory with the same workload when all of
// the database fits.
type scarce struct {
	b      *testing.B
	each   time.Duration // how long a run measures
	users  string
	scale  string
	folder string
	memory int64 // of all that holds the database: programs and cached files
}

// run runs the command in a separate process.
func (m *scarce) run(args ...string) {
	m.b.Helper()
	out, err := process(m.b, args...).CombinedOutput()
	require.NoError(m.b, err, "%v: %s", args, out)
}

// allMemory is more than any machine has.
const allMemory = 1 << 62

// BenchmarkMemory prints a table for docs/performance.md: `make bench-memory`. Of the embedded store, the service is
// bounded, of PostgreSQL the server. The load generator never is.
func BenchmarkMemory(b *testing.B) {
	if os.Getenv(memoryVariable) == "" {
		b.Skip("only when " + memoryVariable + " asks for it")
	}
	each, err := time.ParseDuration(os.Getenv(memoryVariable))
	require.NoError(b, err, memoryVariable)
	m := &scarce{b: b, each: 6 * each, users: cmp.Or(os.Getenv("USERS"), "50"), scale: cmp.Or(os.Getenv("SCALE"), "XS"),
		folder: b.TempDir()}
	var megabytes int64
	_, err = fmt.Sscanf(cmp.Or(os.Getenv("MEMORY"), "512MB"), "%dMB", &megabytes)
	require.NoError(b, err, "MEMORY is not of the form 512MB")
	m.memory = megabytes * 1e6
	stores := map[string]func(){"sqlite": m.embedded, "postgres": m.postgres}
	fmt.Printf("\nThe mixed workload on %s within %s, and with all memory; %s users over HTTP, measured for %s after as "+
		"long a warm-up.\nI/Os are the requests that the disks of this machine completed (/proc/diskstats), those of other "+
		"programs too, and flushes as writes;\n\"own\" is what the bounded processes read from disk (/proc/PID/io).\n",
		m.scale, format.Bytes(m.memory), m.users, m.each)
	for name := range strings.SplitSeq(cmp.Or(os.Getenv("STORES"), "sqlite,postgres"), ",") {
		require.Contains(b, stores, name, "STORES")
		stores[name]()
	}
}

// embedded measures the service with the embedded store. Its program is a copy, because the pages of this one count for
// the test.
func (m *scarce) embedded() {
	m.b.Helper()
	program, err := os.ReadFile(os.Args[0])
	require.NoError(m.b, err)
	copied := filepath.Join(m.folder, "brokerage")
	require.NoError(m.b, os.WriteFile(copied, program, 0o700))
	database := cmp.Or(os.Getenv("DB"), filepath.Join(m.folder, "brokerage.db"))
	url := "sqlite:" + database
	m.run("load", "--db", url, "--scale", m.scale)
	info, err := os.Stat(database)
	require.NoError(m.b, err)
	m.heading("SQLite", info.Size())
	m.compare(result.OfService, func(g *memoryCgroup) (func(), []string) {
		service := launch{g.starter(copied), m.folder, nil}.start(m.b, "--db", url).listening(m.b)
		within(m.b, startPatience, func() bool { // it counts its documents once, for its metrics, which reads all of them
			return strings.Contains(get(m.b, service.url+"/metrics").body, "\nbrokerage_store_documents{") ||
				service.logs.find(m.b, "counting the documents failed, so their metrics are missing") != nil
		}, "it counts its documents: %s", service.logs)
		return func() { service.stop(m.b) }, []string{"--url", service.url}
	})
}

// postgres measures a PostgreSQL server. A quarter of the memory is for its own cache, in both runs.
func (m *scarce) postgres() {
	m.b.Helper()
	server := pgtest.StartOutOfTheBox(m.b)
	url := server.URL("postgres")
	server.Include(m.b, fmt.Sprintf("shared_buffers = %dkB\n", m.memory/4>>10))
	m.run("load", "--db", url, "--scale", m.scale)
	server.Exec(m.b, "postgres", "VACUUM ANALYZE") // or autovacuum would do it while a run is measured
	conn := server.Connect(m.b, "postgres")
	var bytes int64
	require.NoError(m.b, conn.QueryRow(m.b.Context(), "SELECT pg_database_size('postgres')").Scan(&bytes))
	require.NoError(m.b, conn.Close(m.b.Context()))
	server.Halt(m.b)
	m.heading(fmt.Sprintf("PostgreSQL %d", server.Major(m.b)), bytes)
	m.compare(result.OfDatabase, func(g *memoryCgroup) (func(), []string) {
		server.Again(m.b)
		g.add(server.PID(m.b))
		// A connection has a process of several megabytes.
		pool := strconv.FormatInt(min(max(m.memory>>24, 2), 16), 10)
		service := serving(m.b, "", "--db", url, "--pool", pool)
		return func() { service.stop(m.b); server.Halt(m.b) }, []string{"--url", service.url, "--watch-db", url}
	})
}

func (m *scarce) heading(name string, bytes int64) {
	fmt.Printf("\n%s, %s on disk, %.1f %% of which fit into the memory:\n\n"+
		"| memory | transactions/s | p99 | longest (aim %s) | reads | writes | I/Os a transaction (aim %.1f) | kB read "+
		"| own | kB written | programs | cached files | errors |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
		name, format.Bytes(bytes), min(100, 100*float64(m.memory)/float64(bytes)), aimLongest, aimIOs)
}

// compare measures two runs, each of which begins without cached files: with little memory, and with all memory.
func (m *scarce) compare(of string, start func(*memoryCgroup) (stop func(), target []string)) {
	m.b.Helper()
	var tps [2]float64
	for i, limit := range []int64{m.memory, allMemory} {
		forget := exec.CommandContext(m.b.Context(), "sh", "-c", "sync && echo 1 >/proc/sys/vm/drop_caches")
		require.NoError(m.b, forget.Run())
		group := memoryGroup(m.b, limit)
		stop, target := start(group)
		tps[i] = m.measure(limit, group, of, target)
		stop()
	}
	fmt.Printf("\nWith little memory: %.2f of the throughput.\n", tps[0]/max(tps[1], 1e-9))
}

// measure measures a run and prints its row.
func (m *scarce) measure(limit int64, group *memoryCgroup, of string, target []string) float64 {
	m.b.Helper()
	file := filepath.Join(m.folder, "result.json")
	m.run(append([]string{"drive", "--allow-invalid", "--users", m.users, "--ramp", m.each.String(), "--duration",
		m.each.String(), "--every", "0s", "--json", file}, target...)...)
	run := readRun(m.b, file)
	a := func(of, figure string) float64 { // of a transaction
		sum, ok := run.Resources.Counted(of)[figure]
		require.True(m.b, ok, "%s of %s: %v", figure, of, run.Resources.Missing)
		return sum / float64(max(run.Total.Count, 1))
	}
	reads, writes := a(result.OfHost, probe.Reads), a(result.OfHost, probe.Writes)
	ms := func(micros float64) string { return format.Figure(micros/1000) + " ms" }
	slowest := slices.MaxFunc(run.Transactions, func(a, b result.Row) int {
		return cmp.Compare(a.Latency.Max, b.Latency.Max)
	})
	longest := ms(run.Total.Latency.Max) + " (" + slowest.Name + ")"
	ios := format.Figure(reads + writes)
	memory := "all"
	if limit != allMemory {
		memory = format.Bytes(limit)
		longest = verdict(longest, run.Total.Latency.Max <= float64(aimLongest.Microseconds()))
		ios = verdict(ios, reads+writes <= aimIOs)
	}
	programs, files := group.used()
	errors := int64(0)
	for _, n := range run.Total.Unexpected {
		errors += n
	}
	fmt.Printf("| %s | %.0f | %s | %s | %.2f | %.2f | %s | %.1f | %.1f | %.1f | %s | %s | %d |\n",
		memory, run.TPS, ms(run.Total.Latency.P99), longest, reads, writes, ios, a(result.OfHost, probe.ReadBytes)/1000,
		a(of, probe.ReadBytes)/1000, a(result.OfHost, probe.WriteBytes)/1000, format.Bytes(programs), format.Bytes(files),
		errors)
	return run.TPS
}
