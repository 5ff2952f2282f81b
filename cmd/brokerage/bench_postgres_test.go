package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/result"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/workload"
)

// speedVariable enables the comparison, and sets how long each run takes: BROKERAGE_BENCH_POSTGRES=10s. It takes
// minutes, and needs an idle machine.
const speedVariable = "BROKERAGE_BENCH_POSTGRES"

// The aims: shares of pgbench's rate with the same statement, and rates of the mixed workload and the load.
const (
	aimDirect, aimService  = 75, 40 // %
	aimMixed, aimMixedTier = 4000, 70
	aimOrders              = 10_000
)

// speed compares a store in PostgreSQL with pgbench, which only runs statements. Separate processes alternate, warm,
// with the same number of clients: pgbench has a connection for each, the store its usual, smaller pool.
type speed struct {
	b      *testing.B
	server *pgtest.Server
	url    string
	each   time.Duration
	rounds int
	users  int
	scale  string
	folder string
}

// BenchmarkPostgres prints tables for docs/performance.md: `make bench-postgres`.
func BenchmarkPostgres(b *testing.B) {
	s := newSpeed(b, speedVariable, 3, "XXXS")
	s.server = pgtest.StartOutOfTheBox(b)
	s.url = s.server.URL("postgres")
	fmt.Printf(
		"\nPostgreSQL %d, a server of its own as it comes out of the box; %s; %d clients, %d alternating rounds of %s, "+
			"medians\n\n",
		s.server.Major(b), s.scale, s.users, s.rounds, s.each)
	s.load()
	s.queries()
	s.mixed()
}

// newSpeed returns the settings of a comparison, and skips one for which its variable sets no time.
func newSpeed(b *testing.B, variable string, rounds int, scale string) *speed {
	b.Helper()
	each := os.Getenv(variable)
	if each == "" {
		b.Skip("only when " + variable + " asks for it")
	}
	return &speed{
		b: b, each: duration(b, variable, each), rounds: number(b, "ROUNDS", rounds), users: number(b, "USERS", 50),
		scale: cmp.Or(os.Getenv("SCALE"), scale), folder: b.TempDir(),
	}
}

func duration(b *testing.B, variable, text string) time.Duration {
	b.Helper()
	d, err := time.ParseDuration(text)
	require.NoError(b, err, variable)
	return d
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

// load loads, and returns the rate of all documents and that of orders, which come last: without and with their
// indexes.
func (s *speed) load() {
	s.b.Helper()
	scale, err := dataset.ParseScale(s.scale)
	require.NoError(s.b, err)
	d := dataset.New(dataset.Spec{Scale: scale, Seed: 1})
	store, err := postgres.Open(s.b.Context(), s.url, postgres.Options{})
	require.NoError(s.b, err)
	orders := d.Count(dataset.Order)
	others := d.Count(dataset.Security) + d.Count(dataset.Customer)
	began := time.Now()
	var first, last time.Time
	there := int64(0)
	require.NoError(s.b, store.LoadDataset(s.b.Context(), d, func(documents int, _ int64) {
		there += int64(documents)
		if last = time.Now(); there == others {
			first = last
		}
	}))
	require.NoError(s.b, store.Close())
	rate := func(documents int64, from, to time.Time) float64 { return float64(documents) / to.Sub(from).Seconds() }
	now := time.Now()
	fmt.Printf(
		"| load, a second | aim | |\n|---|---|---|\n| all documents, with indexes | | %.0f |\n| orders | %d | %s |\n| "+
			"orders, with all indexes | | %.0f |\n\n",
		rate(there, began, now), aimOrders, verdict(fmt.Sprintf("%.0f", rate(orders, first, last)),
			rate(orders, first, last) >= aimOrders), rate(orders, first, now))
}

// queries compares the seven queries.
func (s *speed) queries() {
	service := serving(s.b, "", "--db", s.url, "--log-format", "json")
	definition, err := workload.Load("query")
	require.NoError(s.b, err)
	names := make([]string, len(definition.Mix))
	rates := make(map[string]*[3][]float64)
	pgbench := newPgbench(s)
	for i, part := range definition.Mix {
		names[i], rates[part.Transaction] = part.Transaction, &[3][]float64{}
		one := *definition
		one.Name, one.Mix = strings.ReplaceAll(part.Transaction, "_", "-"), []result.Part{part}
		s.write(part.Transaction+".json", one)
		pgbench.prepare(part.Transaction)
		pgbench.run(part.Transaction, time.Second) // warms up, so that every way is measured warm
	}
	for round := range s.rounds {
		for _, name := range names {
			ways := []func() float64{
				func() float64 { return pgbench.run(name, s.each) },
				func() float64 { return s.drive(name, "--db", s.url) },
				func() float64 { return s.drive(name, "--url", service.url) },
			}
			for turn := range ways { // each way is measured first once
				way := (turn + round) % len(ways)
				rates[name][way] = append(rates[name][way], ways[way]())
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, s.rounds, name)
		}
	}
	service.stop(s.b)

	fmt.Printf(
		"| query | pgbench | `drive --db` | share (aim %d %%) | over HTTP | share (aim %d %%) |\n|---|---|---|---|---|---|\n",
		aimDirect, aimService)
	for _, name := range names {
		alone, direct, http := middle(rates[name][0]), middle(rates[name][1]), middle(rates[name][2])
		fmt.Printf("| %s | %.0f | %.0f | %s | %.0f | %s |\n", name, alone, direct, shareText(direct, alone, aimDirect), http,
			shareText(http, alone, aimService))
	}
	fmt.Println()
}

func (s *speed) write(file string, v any) {
	s.b.Helper()
	text, err := json.Marshal(v)
	require.NoError(s.b, err)
	require.NoError(s.b, os.WriteFile(filepath.Join(s.folder, file), text, 0o600))
}

// drive runs one query, and returns its rate.
func (s *speed) drive(query string, target ...string) float64 {
	s.b.Helper()
	return s.driven(query, target...).TPS
}

// driven runs the workload in a file of the folder.
func (s *speed) driven(name string, target ...string) (run result.Run) {
	s.b.Helper()
	file := filepath.Join(s.folder, "result.json")
	s.run(
		append(
			[]string{"drive", "--allow-invalid", "--workload", filepath.Join(s.folder, name+".json"), "--users",
				strconv.Itoa(s.users),
				"--ramp", "1s", "--duration", s.each.String(), "--every", "0s", "--json", file}, target...)...)
	s.read(file, &run)
	require.Empty(s.b, run.Total.Unexpected)
	return run
}

func (s *speed) read(file string, to any) {
	s.b.Helper()
	text, err := os.ReadFile(file)
	require.NoError(s.b, err)
	require.NoError(s.b, json.Unmarshal(text, to))
}

// mixed runs the mixed workload directly and through a service: direct, service, service, direct.
func (s *speed) mixed() {
	definition, err := workload.Load("mixed")
	require.NoError(s.b, err)
	s.write("mixed.json", definition)
	service := serving(s.b, "", "--db", s.url, "--log-format", "json")
	direct := func() float64 { return s.drive("mixed", "--db", s.url) }
	through := func() float64 { return s.drive("mixed", "--url", service.url) }
	a, b, c, d := direct(), through(), through(), direct()
	service.stop(s.b)
	store, http := (a+d)/2, (b+c)/2
	fmt.Printf(
		"\n| mixed, tps | aim | |\n|---|---|---|\n| `drive --db` | %d | %s |\n| over HTTP, of that | %d %% | %s |\n\n",
		aimMixed,
		verdict(fmt.Sprintf("%.0f", store), store >= aimMixed), aimMixedTier, shareText(http, store, aimMixedTier))
}

func shareText(part, of, aim float64) string {
	percent := 100 * part / max(of, 1e-9)
	return verdict(fmt.Sprintf("%.0f %%", percent), percent >= aim)
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
