package report

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
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
func run(name string, users int, rate float64, seed uint64) result.Run {
	definition, err := workload.Load(name)
	if err != nil {
		panic(err)
	}
	mix := definition.Mix
	random := rand.New(rand.NewPCG(seed, uint64(users)))
	const seconds = 120
	r := result.Run{
		Format: result.Format, Tool: result.Tool{Name: "drive", Version: "v1.0.0"},
		Commit: "0123456789abcdef0123456789abcdef01234567",
		Target: result.Target{Kind: "http", Engine: "sqlite", URL: "http://127.0.0.1:8080", SameHost: true,
			Version: "v1.0.0"},
		Workload: result.WorkloadStamp{Name: name, SHA256: "made-up-" + name, Validate: true, Mix: mix},
		Model:    result.Model{Kind: result.Closed, Users: users, Every: 30},
		Started:  time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Ramp: 20, Duration: seconds, Warmed: 25, Measured: seconds,
		Seed:  seed,
		Ended: result.Complete, Dataset: madeUpDataset(), Settings: map[string]string{"durability": durability},
		TPS: rate, TPM: 60 * rate, Machine: madeUpMachine(), Validity: result.Validity{Valid: true, Reasons: []string{}},
	}
	weights := 0.0
	for _, p := range mix {
		weights += p.Weight
	}
	r.Total = result.Row{Name: "total", Weight: 1, Share: 1}
	for _, p := range mix {
		kind := "update"
		for _, t := range tpox.Transactions {
			if t.Name == p.Transaction {
				kind = t.Kind.String()
			}
		}
		count, mean := int64(seconds*rate*p.Weight/weights), float64(users)/rate*1e6*(.9+.2*random.Float64())
		row := result.Row{Name: p.Transaction, Kind: kind, Weight: p.Weight / weights, Share: p.Weight / weights,
			Count: count, Due: count, Good: count, Latency: latency(mean, count)}
		switch p.Transaction {
		case "sell_security":
			row.Expected, row.Good = map[string]int64{"not-held": count / 50}, count-count/50
		case "delete_order":
			row.Unexpected, row.Good, row.Empty = map[string]int64{"404 not-found": 3}, count-3, count/200
		}
		r.Transactions = append(r.Transactions, row)
		if rowOf(r.Kinds, kind) == nil {
			r.Kinds = append(r.Kinds, result.Row{Name: kind, Kind: kind})
		}
		for _, sum := range []*result.Row{rowOf(r.Kinds, kind), &r.Total} {
			sum.Count, sum.Good, sum.Due = sum.Count+row.Count, sum.Good+row.Good, sum.Due+row.Due
			sum.Latency = latency((sum.Latency.Total+row.Latency.Total)/float64(max(sum.Count, 1)), sum.Count)
			sum.Share = float64(sum.Count) / (seconds * rate)
		}
	}
	r.Goodput = rate * float64(r.Total.Good) / float64(r.Total.Count)
	for i := range seconds {
		r.PerSecond = append(r.PerSecond, int64(rate*(0.96+0.08*random.Float64())))
		if i%30 == 29 {
			r.Intervals = append(r.Intervals, result.Interval{From: float64(i - 29), To: float64(i + 1),
				Count: int64(30 * rate), Good: int64(30 * rate), TPS: rate, Latency: r.Total.Latency})
		}
	}
	busy := float64(users) / (float64(users) + 6)
	r.Usage = result.Usage{
		Generator: result.ProcessUsage{CPU: .22 * busy, CPUSeconds: .22 * busy * 2 * seconds, MemoryAfter: 60e6,
			MemoryPeak: 70e6},
		Service: &result.ProcessUsage{CPU: .7 * busy, CPUSeconds: .7 * busy * 2 * seconds, MemoryAfter: 240e6,
			MemoryPeak: 300e6},
		Host: &result.Host{CPU: .96 * busy, IOWait: .03, ReadBytes: 12e6, WriteBytes: int64(rate * seconds * 900)},
	}
	return r
}

func latency(mean float64, count int64) result.Latency {
	return result.Latency{Total: mean * float64(count), Min: mean / 8, Max: mean * 40, Mean: mean, P50: mean * .8,
		P90: mean * 1.8, P95: mean * 2.6, P99: mean * 6}
}

// steps makes up the measured runs of a workload, whose throughput grows with users until it is saturated.
func steps(label string, most float64, users ...int) (all []campaign.Step) {
	name, _, notValidated := strings.Cut(label, ",")
	for _, u := range users {
		step := done(label+", "+format.Plural(u, "user"), campaign.KindRun, 480)
		step.Plan = &campaign.RunPlan{Workload: name, Label: label, Users: u, Connections: u}
		r := run(name, u, most*float64(u)/(float64(u)+8), 2)
		r.Workload.Validate = !notValidated
		step.Run, step.Restore = &r, 6
		all = append(all, step)
	}
	return all
}

// onCores makes up a run on some cores.
func onCores(n int, most float64) campaign.Step {
	step := steps("mixed", most, 100)[0]
	step.Name, step.Plan.CPUs = format.Plural(n, "core")+": "+step.Name, n
	return step
}

// done returns a step that was done.
func done(name string, kind campaign.StepKind, seconds float64) campaign.Step {
	return campaign.Step{Name: name, Kind: kind, State: campaign.Done, Seconds: seconds}
}

// madeUpCampaign has something for every section of the page.
func madeUpCampaign() *campaign.Record {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	c := &campaign.Record{
		Format: campaign.Format, Preset: "full", Complete: true, Started: at, Seconds: 13_000,
		Dataset: madeUpDataset(),
		Store: campaign.StoreStamp{Engine: "sqlite", Version: "3.51.0", URL: "sqlite:campaign.db", Durability: durability,
			Settings: map[string]string{"journal_mode": "wal", "synchronous": "full",
				"compression": "zstd with trained dictionaries"}},
		Settings: campaign.Settings{Preset: "full", DB: "sqlite:campaign.db", Scale: "XXS", Profile: "tpox-2", Seed: 1,
			Users: []int{25, 50, 75, 100, 125, 150, 200, 300}, Reference: 100,
			Steps: []string{"mixed", "query"}, WarmUp: campaign.Duration{Duration: 20 * time.Second},
			Duration: campaign.Duration{Duration: 2 * time.Minute}, DataScale: 1, TimeScale: 1},
		Machine: campaign.Machine{Machine: madeUpMachine(), Host: "made-up", Kernel: "Linux 6.12", FileSystem: "ext4",
			FlushP50: 420, FlushP99: 2100},
		Versions: campaign.Versions{Go: "go1.26.2", Brokerage: "v1.0.0", Commit: "0123456789abcdef0123456789abcdef01234567",
			Generator: 7},
	}
	load, space := done("load", campaign.KindLoad, 48), done("space", campaign.KindSpace, 3)
	load.Load = &campaign.BulkLoad{Documents: 570_833, Bytes: 1_209_000_000, Finish: 4.2}
	inserts := done("population", campaign.KindPopulation, 110)
	for n := range int64(5) {
		f := float64(n)
		inserts.Inserts = append(inserts.Inserts,
			campaign.Growth{Stage: int(n) + 1, Workload: "insert-orders", Before: 500_000 + n*112_000, Documents: 112_000,
				Rate: 5600 - 60*f, Total: 520e6 + n*80e6, Run: run("insert-orders", 100, 5600-60*f, uint64(n))},
			campaign.Growth{Stage: int(n) + 1, Workload: "insert-customers", Before: 50_000 + n*40_000, Documents: 40_000,
				Rate: 2000 - 50*f, Total: 560e6 + n*80e6, Run: run("insert-customers", 100, 2000-50*f, uint64(n))})
	}
	space.Space = madeUpSpace()
	backup := done("backup", campaign.KindBackup, 5)
	backup.Copy = &campaign.Copy{Database: 520e6, File: 430e6}
	killed := run("mixed", 100, 2000, 3)
	killed.Proof = &result.Proof{Verified: true, Acknowledged: 12_345, Unknown: 7, Applied: 3}
	killed.Break = &result.Break{At: 10, Unanswered: true, Again: .8}
	crash := done("crash", campaign.KindCrash, 30)
	crash.Run, crash.Plan = &killed, &campaign.RunPlan{Workload: "mixed", Label: "mixed", Users: 100}
	users := c.Settings.Users
	c.Steps = slices.Concat(
		[]campaign.Step{inserts, load, space, backup, done("restore", campaign.KindRestore, 6)},
		steps("mixed", 4100, users...), steps("query", 9200, users...),
		steps("classic", 3300, 100), steps("insert-orders", 6100, 100),
		steps("insert-customers", 2300, 100), steps("insert-customers, not validated", 2900, 100),
		[]campaign.Step{onCores(1, 2500), onCores(2, 3900), crash,
			{Name: "classic, 200 users", Kind: campaign.KindRun, State: campaign.Planned}})
	return c
}

// madeUpCurve returns the curve of a target that keeps up with 4,000 transactions a second.
func madeUpCurve() *result.Curve {
	c := &result.Curve{Goal: "p99=20ms", Found: 3600, Low: 3400, High: 3800, Seconds: 130, Slices: 40, Disturbed: 3,
		Limit: "the processors of this machine: service 55 %, load generator 35 %"}
	for rate := 400.0; rate <= 4400; rate += 400 {
		s := result.CurveStep{Rate: rate, TPS: min(rate, 4000), Seconds: 10, Met: 3,
			Latency: result.Latency{P50: 4e5 / max(4000-rate, 1), P95: 4e6 / max(4000-rate, 1), P99: 8e6 / max(4000-rate, 1),
				P999: 1.6e7 / max(4000-rate, 1)}}
		if s.Latency.P99 > 20_001 {
			s.Met, s.Misses, s.Missed = 0, 3, "p99=20ms: 12 % took longer"
		}
		c.Steps = append(c.Steps, s)
	}
	return c
}

func madeUpSpace() *campaign.Space {
	s := &campaign.Space{Rest: 3e6, Total: 520e6, Journal: 16e6, Raw: 1_209e6}
	s.Kinds = append(s.Kinds, campaign.KindBytes{Kind: "security", Documents: 20_833, Raw: 129e6, Stored: 61e6},
		campaign.KindBytes{Kind: "customer", Documents: 50_000, Raw: 330e6, Stored: 118e6},
		campaign.KindBytes{Kind: "order", Documents: 500_000, Raw: 750e6, Stored: 310e6})
	s.Indexes = append(s.Indexes, campaign.NamedBytes{Name: "orders_cash", Bytes: 18e6},
		campaign.NamedBytes{Name: "accounts_customer", Bytes: 10e6})
	return s
}

// html returns the page of a file.
func html(t testing.TB, f *File) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, f.WriteHTML(&b))
	return b.String()
}
