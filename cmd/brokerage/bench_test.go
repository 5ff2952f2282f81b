package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/format"
	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/testenv/basex"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
	"brokerage/internal/xmldoc"
)

// speed has the settings of a comparison: how long each run takes, how many runs and users there are, and the scale.
type speed struct {
	b      *testing.B
	each   time.Duration
	rounds int
	users  int
	scale  string
	folder string
}

// newSpeed returns the settings of a comparison, and skips one for which its variable sets no time.
func newSpeed(b *testing.B, variable string, rounds int, scale string) *speed {
	b.Helper()
	each := os.Getenv(variable)
	if each == "" {
		b.Skip("only when " + variable + " asks for it")
	}
	duration, err := time.ParseDuration(each)
	require.NoError(b, err, variable)
	return &speed{
		b: b, each: duration, rounds: number(b, "ROUNDS", rounds), users: number(b, "USERS", 50),
		scale: cmp.Or(os.Getenv("SCALE"), scale), folder: b.TempDir(),
	}
}

func number(b *testing.B, variable string, otherwise int) int {
	b.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(b, err, variable)
	require.Positive(b, n, variable)
	return n
}

// run runs the command in a separate process.
func (s *speed) run(args ...string) {
	s.b.Helper()
	var said strings.Builder
	cmd := process(s.b, args...)
	cmd.Stderr = &said
	require.NoError(s.b, cmd.Run(), "%v: %s", args, said.String())
}

// drive runs the command drive, and returns the result.
func (s *speed) drive(args ...string) result.Run {
	s.b.Helper()
	file := filepath.Join(s.folder, "result.json")
	s.run(append([]string{"drive", "--allow-invalid", "--users", strconv.Itoa(s.users), "--duration", s.each.String(),
		"--every", "0s", "--json", file}, args...)...)
	return readRun(s.b, file)
}

func verdict(text string, met bool) string {
	if met {
		return text
	}
	return text + ", **missed**"
}

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// baseXVariable enables the comparison with BaseX, and sets how long each run takes: BROKERAGE_BENCH_BASEX=10s. It
// takes minutes, and needs an idle machine.
const baseXVariable = "BROKERAGE_BENCH_BASEX"

// The aims: how many times the processor time of the service BaseX uses for a query.
const aimQuery, aimGetOrder = 5, 4

// baseXBench compares the service on the embedded store with BaseX. Both have the same documents and get the same
// requests from the same client, alternating.
type baseXBench struct {
	*speed

	data *dataset.Dataset
	urls [2]string // the service, BaseX
}

// A comparison is a workload that both run: a row of the table. An aim of 0 is none.
type comparison struct {
	name     string
	aim      float64
	mix      []result.Part
	file     string    // of the workload
	measured [][2]cost // the service, BaseX; for each round
}

// cost is what one run measured.
type cost struct {
	rate   float64 // transactions a second
	micros float64 // of the server's processor time for each
}

// BenchmarkBaseX prints a table for docs/performance.md: `make bench-basex`.
func BenchmarkBaseX(b *testing.B) {
	r := &baseXBench{speed: newSpeed(b, baseXVariable, 5, "XXXS")}
	scale, err := dataset.ParseScale(r.scale)
	require.NoError(b, err)
	r.data = dataset.New(dataset.Spec{Scale: scale, Seed: 1})
	service := r.start()
	r.compareQueries()
	fmt.Printf(
		"\nBaseX 10.7, RESTXQ; the service, embedded store; %s; %d clients, %d alternating rounds of %s after a warm-up, "+
			"medians; processor time is that of the server\n\n", r.scale, r.users, r.rounds, r.each)
	comparisons := r.comparisons()
	for round := range 1 + r.rounds {
		for _, c := range comparisons {
			var both [2]cost
			for turn := range both {
				of := (turn + round) % len(both) // each is measured first in every second round
				run := r.drive("--workload", c.file, "--ramp", "1s", "--url", r.urls[of])
				require.Empty(b, run.Total.Unexpected)
				require.NotNil(b, run.Usage.Service, "%s does not report its processor time", r.urls[of])
				both[of] = cost{run.TPS, 1e6 * run.Usage.Service.CPUSeconds / (run.TPS * run.Measured)}
			}
			if round > 0 { // the first one warms up
				c.measured = append(c.measured, both)
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round, r.rounds, c.name)
		}
	}
	fmt.Print("| transactions | service, a second | BaseX, a second | ratio | service, µs of processor time | BaseX, µs " +
		"| ratio | aim |\n|---|---|---|---|---|---|---|---|\n")
	for _, c := range comparisons {
		c.print()
	}
	service.stop(b)
}

// storeElement is the description of the store in the answer of get_dataset.
var storeElement = regexp.MustCompile(`<Store .*</Store>`)

// start loads and starts both, and returns the service.
func (r *baseXBench) start() *instance {
	db := "sqlite:" + filepath.Join(r.folder, "brokerage.db")
	r.run("load", "--db", db, "--scale", r.scale)
	service := serving(r.b, "", "--db", db, "--log-format", "json")
	address := freeAddress(r.b)
	basex.Start(r.b, address, r.data, map[string]string{
		"version":    get(r.b, service.url+"/version").body,
		"v1/dataset": storeElement.ReplaceAllString(get(r.b, service.url+"/v1/dataset?symbols=true").body, ""),
	})
	r.urls = [2]string{service.url, "http://" + address}
	return service
}

// comparisons returns each query, the two writes, and all of these with the weights of the mixed workload. It writes
// their definitions to files.
func (r *baseXBench) comparisons() (comparisons []*comparison) {
	writes, all := &comparison{name: "insert and delete order"}, &comparison{name: "all of these, mixed"}
	for _, t := range tpox.Transactions {
		part := result.Part{Transaction: t.Name, Weight: float64(t.Weight)}
		switch {
		case t.Name == "insert_order" || t.Name == "delete_order":
			writes.mix = append(writes.mix, part)
		case t.Kind != tpox.Query:
			continue // BaseX has no module for it
		case t.Name == "get_order":
			comparisons = append(comparisons, &comparison{name: t.Name, aim: aimGetOrder, mix: []result.Part{part}})
		default:
			comparisons = append(comparisons, &comparison{name: t.Name, aim: aimQuery, mix: []result.Part{part}})
		}
		all.mix = append(all.mix, part)
	}
	comparisons = append(comparisons, writes, all)
	definition, err := workload.Load("mixed")
	require.NoError(r.b, err)
	for _, c := range comparisons {
		one := *definition
		one.Name, one.Mix, one.Prepare = "compared", c.mix, workload.Prepare{}
		if c == writes || c == all {
			one.Prepare.Orders = 2 // for each user to delete
		}
		text, err := json.Marshal(one)
		require.NoError(r.b, err)
		c.file = testenv.File(r.b, "workload.json", string(text))
	}
	return comparisons
}

// print prints a row: medians, and the medians of the ratios of each round.
func (c *comparison) print() {
	var rates, micros [2][]float64
	var faster, cheaper []float64
	for _, both := range c.measured {
		for of, one := range both {
			rates[of], micros[of] = append(rates[of], one.rate), append(micros[of], one.micros)
		}
		faster = append(faster, both[0].rate/both[1].rate)
		cheaper = append(cheaper, both[1].micros/both[0].micros)
	}
	aim, ratio := "", fmt.Sprintf("%.1f", middle(cheaper))
	if c.aim > 0 {
		aim, ratio = fmt.Sprintf("%.0f", c.aim), verdict(ratio, middle(cheaper) >= c.aim)
	}
	fmt.Printf("| %s | %.0f | %.0f | %.1f | %.0f | %.0f | %s | %s |\n", c.name, middle(rates[0]), middle(rates[1]),
		middle(faster), middle(micros[0]), middle(micros[1]), ratio, aim)
}

// sampled is the number of keys of each kind whose answers are compared.
const sampled = 200

// compareQueries requires the same answers from both to every query, for keys from all over the dataset, and for keys
// that do not exist.
func (r *baseXBench) compareQueries() {
	r.b.Helper()
	paths := []string{
		"/v1/orders/1", "/v1/customers/1/profile", "/v1/customers/1/statement", "/v1/customers/1/orders/largest",
		"/v1/securities/none", "/v1/securities/none/price",
	}
	for i := range int64(sampled) {
		at := func(k dataset.Kind) int64 { return i * (r.data.Count(k) - 1) / (sampled - 1) }
		customer := fmt.Sprintf("/v1/customers/%d", r.data.ID(dataset.Customer, at(dataset.Customer)))
		security := "/v1/securities/" + r.data.Symbol(int(at(dataset.Security)))
		paths = append(paths, fmt.Sprintf("/v1/orders/%d", r.data.ID(dataset.Order, at(dataset.Order))), security,
			security+"/price", customer+"/profile", customer+"/statement", customer+"/orders/largest")
	}
	for i, sector := range dataset.Sectors() {
		paths = append(paths, fmt.Sprintf("/v1/securities?sector=%s&peMin=%d&peMax=%d&yieldMin=%d", url.QueryEscape(sector),
			20+i%4, 25+i%3, 4+i%3))
	}
	for _, path := range paths {
		var answers [2]string // the document, or else the status
		for i, base := range r.urls {
			answer := get(r.b, base+path)
			answers[i] = http.StatusText(answer.status)
			if answer.status == http.StatusOK {
				doc, err := xmldoc.Admit([]byte(answer.body), xmldoc.Limits{})
				require.NoError(r.b, err, "%s%s: %s", base, path, answer.body)
				answers[i] = string(xmldoc.Canonical(doc))
			}
		}
		require.Equal(r.b, answers[0], answers[1], path)
	}
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
	run := m.drive(append(target, "--ramp", m.each.String())...)
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
