package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"brokerage/internal/format"
	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/store/postgres/pgtest"
)

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
	*speed

	memory int64 // of all that holds the database: programs and cached files
}

// allMemory is more than any machine has.
const allMemory = 1 << 62

// BenchmarkMemory prints a table for docs/performance.md: `make bench-memory`. Of the embedded store, the service is
// bounded, of PostgreSQL the server. The load generator never is.
func BenchmarkMemory(b *testing.B) {
	m := &scarce{speed: newSpeed(b, memoryVariable, 1, "XS")}
	m.each *= 6
	var megabytes int64
	_, err := fmt.Sscanf(cmp.Or(os.Getenv("MEMORY"), "512MB"), "%dMB", &megabytes)
	require.NoError(b, err, "MEMORY is not of the form 512MB")
	m.memory = megabytes * 1e6
	stores := map[string]func(){"sqlite": m.embedded, "postgres": m.postgres}
	fmt.Printf("\nThe mixed workload on %s within %s, and with all memory; %d users over HTTP, measured for %s after as "+
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
	m.compare([]string{copied, database}, result.OfService, func(g *memoryCgroup) (func(), []string) {
		service := startingAs(m.b, g.starter(copied), m.folder, nil, "--db", url).listening(m.b)
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
	server.Halt(m.b)
	folder := filepath.Dir(server.Socket())
	m.heading(fmt.Sprintf("PostgreSQL %d", server.Major(m.b)), size(m.b, filepath.Join(folder, "data", "base")))
	m.compare([]string{filepath.Join(folder, "data")}, result.OfDatabase, func(g *memoryCgroup) (func(), []string) {
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

// compare measures two runs: with little memory, none of it in use for files yet, and with all memory and all files in
// it. paths are those of files and folders.
func (m *scarce) compare(paths []string, of string, start func(*memoryCgroup) (stop func(), target []string)) {
	m.b.Helper()
	var tps [2]float64
	for i, limit := range []int64{m.memory, allMemory} {
		visit := []func(*os.File) error{forget, readWhole}[i]
		for _, path := range paths {
			require.NoError(m.b, eachFile(path, visit))
		}
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
	m.run(append([]string{"drive", "--allow-invalid", "--users", strconv.Itoa(m.users), "--ramp", m.each.String(),
		"--duration", m.each.String(), "--every", "0s", "--json", file}, target...)...)
	var run result.Run
	m.read(file, &run)
	a := func(of, figure string) float64 { // of a transaction
		sum, ok := run.Resources.Used(of, figure)
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

// eachFile calls visit with a file, or with each ordinary file below a folder.
func eachFile(root string, visit func(*os.File) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(visit(f), f.Close())
	})
}

// forget removes a file from the operating system's cache.
func forget(f *os.File) error {
	if err := f.Sync(); err != nil { // pages that are not on disk would stay
		return err
	}
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// readWhole brings a file into the operating system's cache.
func readWhole(f *os.File) error {
	_, err := io.Copy(io.Discard, f)
	return err
}

// size returns the bytes of all files below a folder.
func size(b *testing.B, folder string) (sum int64) {
	b.Helper()
	require.NoError(b, eachFile(folder, func(f *os.File) error {
		info, err := f.Stat()
		if err == nil {
			sum += info.Size()
		}
		return err
	}))
	return sum
}
