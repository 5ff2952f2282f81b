package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/workload"
)

// The figures here are made up, plausible enough to look at a page.

const durability = "flushed to disk before each commit is answered (made up for a test)"

func madeUpDataset() result.DatasetStamp {
	return result.DatasetStamp{Fingerprint: "made-up-xxs-tpox-2-seed-1", Scale: "XXS", Profile: "tpox-2", Seed: 1,
		Securities: 20_833, Customers: 50_000, Orders: 500_000}
}

func madeUpMachine() result.Machine {
	return result.Machine{CPU: "Made-up processor 3000", Cores: 2, Memory: 8e9, OS: "linux", Arch: "amd64",
		Go: "go1.26.2"}
}

// run makes up a valid run of a workload with a throughput and a number of users.
func run(name string, users int, rate float64) result.Run {
	definition, err := workload.Load(name)
	if err != nil {
		panic(err)
	}
	const seconds = 120
	r := result.Run{
		Format: result.Format, Tool: result.Tool{Name: "drive", Version: "v1.0.0"},
		Target:   result.Target{Kind: "http", Engine: "sqlite", URL: "http://127.0.0.1:8080", SameHost: true},
		Workload: result.WorkloadStamp{Name: name, SHA256: "made-up-" + name, Validate: true, Mix: definition.Mix},
		Model:    result.Model{Kind: result.Closed, Users: users}, Seed: 1,
		Started: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Warmed: 25, Measured: seconds, Ended: result.Complete,
		Dataset: madeUpDataset(), Settings: map[string]string{"durability": durability}, Machine: madeUpMachine(),
		TPS: rate, TPM: 60 * rate, Validity: result.Validity{Valid: true, Reasons: []string{}},
		Total: result.Row{Name: "total", Share: 1},
	}
	mean, weights := float64(users)/rate*1e6, 0.0
	for _, p := range definition.Mix {
		weights += p.Weight
	}
	for _, p := range definition.Mix {
		count := int64(seconds * rate * p.Weight / weights)
		row := result.Row{Name: p.Transaction, Share: p.Weight / weights, Count: count, Due: count, Good: count,
			Latency: latency(mean, count)}
		switch p.Transaction {
		case "sell_security":
			row.Expected, row.Good = map[string]int64{"not-held": count / 50}, count-count/50
		case "delete_order":
			row.Unexpected, row.Good = map[string]int64{"404 not-found": 3}, count-3
		}
		r.Transactions = append(r.Transactions, row)
		r.Total.Count, r.Total.Good, r.Total.Due = r.Total.Count+row.Count, r.Total.Good+row.Good, r.Total.Due+row.Due
	}
	r.Total.Latency = latency(mean, r.Total.Count)
	r.Kinds = []result.Row{{Name: "query", Count: r.Total.Count, Latency: r.Total.Latency}}
	r.Goodput = rate * float64(r.Total.Good) / float64(r.Total.Count)
	for i := range seconds {
		r.PerSecond = append(r.PerSecond, int64(rate)+int64(i%5))
	}
	r.Intervals = []result.Interval{{To: 60, Latency: r.Total.Latency}, {To: 120, Latency: r.Total.Latency}}
	busy := float64(users) / (float64(users) + 6)
	used := func(share float64) result.ProcessUsage {
		return result.ProcessUsage{CPU: share * busy, CPUSeconds: share * busy * 2 * seconds, MemoryPeak: 300e6}
	}
	service := used(.7)
	r.Usage = result.Usage{Generator: used(.22), Service: &service, Host: &result.Host{CPU: .96 * busy, IOWait: .03}}
	r.Resources = madeUpResources(&r)
	return r
}

// madeUpResources makes up samples of the host, of processes and of the store, and one figure that was not read.
func madeUpResources(r *result.Run) *result.Resources {
	all := &result.Resources{Missing: []string{"generator: I/O wait of a process: the kernel does not count it"}}
	for at := 0.0; at <= r.Measured; at += 10 {
		all.Seconds = append(all.Seconds, at)
	}
	add := func(counts bool, rate float64, of string, figures ...string) {
		for _, figure := range figures {
			s := result.Series{Of: of, Figure: figure, Counts: counts}
			for _, at := range all.Seconds {
				s.Values = append(s.Values, rate*at)
			}
			all.Series = append(all.Series, s)
		}
	}
	add(true, .9, result.OfHost, "userSeconds", "systemSeconds", "ioWaitSeconds")
	add(true, .4*r.TPS, result.OfHost, "reads", "writes")
	add(true, 900*r.TPS, result.OfHost, "readBytes", "writeBytes")
	add(true, .1, result.OfGenerator, "userSeconds", "systemSeconds")
	add(true, .2, result.OfService, "userSeconds", "systemSeconds")
	add(false, .1, result.OfStore, "brokerage_store_connections_in_use")
	add(true, 14*r.TPS, result.OfStore, "brokerage_store_cache_hits_total")
	add(true, .3*r.TPS, result.OfStore, "brokerage_store_cache_misses_total")
	all.Pools = []store.PoolStats{{Name: "customers, TOAST", Hits: 900, Misses: 100}}
	return all
}

func latency(mean float64, count int64) result.Latency {
	return result.Latency{Total: mean * float64(count), Min: mean / 8, Max: mean * 40, Mean: mean, P50: mean * .8,
		P90: mean * 1.8, P95: mean * 2.6, P99: mean * 6}
}

// steps makes up the measured runs of a workload. With more users, their throughput approaches the value of most.
func steps(label string, most float64, users ...int) (all []campaign.Step) {
	name, _, notValidated := strings.Cut(label, ",")
	for _, u := range users {
		step := done(label+", "+format.Plural(u, "user"), campaign.KindRun, 480)
		step.Plan = &campaign.RunPlan{Workload: name, Label: label, Users: u, Connections: u}
		r := run(name, u, most*float64(u)/(float64(u)+8))
		r.Workload.Validate = !notValidated
		step.Run, step.Restore = &r, 6
		all = append(all, step)
	}
	return all
}

// done returns a step that was done.
func done(name string, kind campaign.StepKind, seconds float64) campaign.Step {
	return campaign.Step{Name: name, Kind: kind, State: campaign.Done, Seconds: seconds}
}

// madeUpCampaign returns a campaign with something for every section of the page.
func madeUpCampaign() *campaign.Record {
	c := &campaign.Record{
		Format: campaign.Format, Preset: "full", Complete: true, Seconds: 13_000, Dataset: madeUpDataset(),
		Started: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC),
		Store: campaign.StoreStamp{Engine: "sqlite", Version: "3.51.0", URL: "sqlite:campaign.db", Durability: durability,
			Settings: map[string]string{"journal_mode": "wal", "synchronous": "full",
				"compression": "zstd with trained dictionaries"}},
		Settings: campaign.Settings{Preset: "full", Seed: 1, Reference: 100, DataScale: 1, TimeScale: 1,
			WarmUp:   campaign.Duration{Duration: 20 * time.Second},
			Duration: campaign.Duration{Duration: 2 * time.Minute}},
		Machine: campaign.Machine{Machine: madeUpMachine(), Host: "made-up", Kernel: "Linux 6.12", FileSystem: "ext4",
			FlushP50: 420, FlushP99: 2100},
		Versions: campaign.Versions{Go: "go1.26.2", Brokerage: "v1.0.0", Commit: "0123456789abcdef0123456789abcdef01234567",
			Generator: 7},
	}
	load, space := done("load", campaign.KindLoad, 48), done("space", campaign.KindSpace, 3)
	load.Load = &campaign.BulkLoad{Documents: 570_833, Bytes: 1_209_000_000, Finish: 4.2}
	inserts := done("population", campaign.KindPopulation, 110)
	for n := range int64(5) {
		orders, customers := 5600-60*float64(n), 2000-50*float64(n)
		inserts.Inserts = append(inserts.Inserts,
			campaign.Growth{Stage: int(n) + 1, Workload: "insert-orders", Before: 500_000 + n*112_000, Documents: 112_000,
				Rate: orders, Total: 520e6 + n*80e6, Run: run("insert-orders", 100, orders)},
			campaign.Growth{Stage: int(n) + 1, Workload: "insert-customers", Before: 50_000 + n*40_000, Documents: 40_000,
				Rate: customers, Total: 560e6 + n*80e6, Run: run("insert-customers", 100, customers)})
	}
	space.Space = &campaign.Space{Rest: 3e6, Total: 520e6, Journal: 16e6, Raw: 1_209e6,
		Kinds: []campaign.KindBytes{{Kind: "security", Documents: 20_833, Raw: 129e6, Stored: 61e6},
			{Kind: "customer", Documents: 50_000, Raw: 330e6, Stored: 118e6},
			{Kind: "order", Documents: 500_000, Raw: 750e6, Stored: 310e6}},
		Indexes: []campaign.NamedBytes{{Name: "orders_cash", Bytes: 18e6}, {Name: "accounts_customer", Bytes: 10e6}},
	}
	backup := done("backup", campaign.KindBackup, 5)
	backup.Copy = &campaign.Copy{Database: 520e6, File: 430e6}
	killed := run("mixed", 100, 2000)
	killed.Proof = &result.Proof{Verified: true, Acknowledged: 12_345, Unknown: 7, Applied: 3}
	killed.Break = &result.Break{At: 10, Unanswered: true, Again: .8}
	crash := done("crash", campaign.KindCrash, 30)
	crash.Run, crash.Plan = &killed, &campaign.RunPlan{Workload: "mixed", Label: "mixed", Users: 100}
	users := []int{25, 50, 75, 100, 125, 150, 200, 300}
	one, two := steps("mixed", 2500, 100)[0], steps("mixed", 3900, 100)[0]
	one.Name, one.Plan.CPUs = "1 core: mixed, 100 users", 1
	two.Name, two.Plan.CPUs = "2 cores: mixed, 100 users", 2
	c.Steps = slices.Concat(
		[]campaign.Step{inserts, load, space, backup, done("restore", campaign.KindRestore, 6)},
		steps("mixed", 4100, users...), steps("query", 9200, users...),
		steps("classic", 3300, 100), steps("insert-orders", 6100, 100),
		steps("insert-customers", 2300, 100), steps("insert-customers, not validated", 2900, 100),
		[]campaign.Step{one, two, crash,
			{Name: "classic, 200 users", Kind: campaign.KindRun, State: campaign.Planned}})
	return c
}

// madeUpCurve returns the curve of a target that keeps up with 4,000 transactions a second.
func madeUpCurve() *result.Curve {
	c := &result.Curve{Goal: "p99=20ms", Found: 3600, Low: 3400, High: 3800, Seconds: 130, Within: 300,
		Slices: 40, Disturbed: 3, Limit: "the processors of this machine: service 55 %, load generator 35 %"}
	for rate := 400.0; rate <= 4400; rate += 400 {
		slow := 4e5 / max(4000-rate, 1)
		s := result.CurveStep{Rate: rate, TPS: min(rate, 4000), Seconds: 10, Met: 3,
			Latency: result.Latency{P50: slow, P95: 10 * slow, P99: 20 * slow, P999: 40 * slow}}
		if s.Latency.P99 > 20_001 {
			s.Met, s.Misses, s.Missed = 0, 3, "p99=20ms: 12 % took longer"
		}
		c.Steps = append(c.Steps, s)
	}
	return c
}

// html returns the page of a file.
func html(t testing.TB, f *File) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, f.WriteHTML(&b))
	return b.String()
}
