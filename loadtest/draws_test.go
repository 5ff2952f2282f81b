package loadtest_test

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
	"brokerage/loadtest"
)

// drawn counts the values of the parameters that a service received, by their names.
type drawn struct {
	sync.Mutex

	values map[string]map[string]int
}

func (d *drawn) add(name, value string) {
	d.Lock()
	defer d.Unlock()
	if d.values[name] == nil {
		d.values[name] = make(map[string]int)
	}
	d.values[name][value]++
}

var parameters = regexp.MustCompile(`<LastTrade>([^<]*)<|Stat="([^"]*)"|<Quantity>([^<]*)<`)

// record returns the service behind a proxy, and the parameters that it receives.
func (s service) record(t testing.TB) (recorded service, d *drawn) {
	t.Helper()
	d = &drawn{values: make(map[string]map[string]int)}
	recorded = s.behind(t, func(r *http.Request) bool {
		for _, name := range []string{"sector", "peMin", "peMax", "yieldMin"} {
			if value := r.URL.Query().Get(name); value != "" {
				d.add(name, value)
			}
		}
		if kind, key, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "/"); ok && r.Method == http.MethodGet {
			d.add(kind, strings.TrimSuffix(key, "/profile"))
		}
		if r.Method != http.MethodGet {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return false // the client has disconnected
			}
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			if m := parameters.FindStringSubmatch(string(body)); m != nil {
				last := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:] // price, status, buy, sell
				d.add(last, m[1]+m[2]+m[3])
			}
		}
		return true
	})
	return recorded, d
}

// numbers returns all drawn values of a parameter in ascending order.
func (d *drawn) numbers(t testing.TB, name string) (values []float64) {
	t.Helper()
	for value, n := range d.values[name] {
		v, err := strconv.ParseFloat(value, 64)
		require.NoError(t, err, name)
		for range n {
			values = append(values, v)
		}
	}
	sort.Float64s(values)
	return values
}

func names(values map[string]int) (list []string) {
	for name := range values {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}

// Both tools draw the same parameters for one workload: the whole of each range or list, and each value as often.
func TestK6_DrawsAsTheDriver(t *testing.T) {
	s := newService(t, true)
	own := testenv.File(t, "own.json", `{"name": "own", "draws": {"order": {"distribution": "zipf", "s": 1.2}},
		"mix": [{"transaction": "get_order", "weight": 1}, {"transaction": "update_security_price", "weight": 3},
		 {"transaction": "update_order_status", "weight": 1},
		{"transaction": "buy_security", "weight": 1}, {"transaction": "sell_security", "weight": 1},
		{"transaction": "search_securities", "weight": 1}]}`)
	drive, k6, definition := drawnByBoth(t, s, own, 8*time.Second)
	for _, name := range []string{"status", "sector", "peMin", "peMax", "yieldMin", "buy", "sell"} {
		require.Equal(t, names(drive.values[name]), names(k6.values[name]), name)
		requireAlike(t, name, drive.values[name], k6.values[name])
	}
	popular := popularOrders(1.2)
	requireDrawn(t, "drive", popular, drive.values["orders"])
	requireDrawn(t, "k6", popular, k6.values["orders"])
	require.Equal(t, names(map[string]int{"0": 1, "1": 1, "2": 1, "3": 1, "4": 1, "8": 1}), names(k6.values["status"]))
	prices := definition.Updates.Price
	least, most := float64(prices[0])/100, float64(prices[1])/100
	for tool, d := range map[string]*drawn{"drive": drive, "k6": k6} {
		p := d.numbers(t, "price")
		require.Greater(t, len(p), 200, tool)
		require.GreaterOrEqual(t, p[0], least, tool)
		require.LessOrEqual(t, p[len(p)-1], most, tool)
		// Of uniform draws, quartiles are near those of the range: within six standard errors.
		for q, want := range map[int]float64{1: .25, 2: .5, 3: .75} {
			sixErrors := 6 * .5 / float64(len(p)) * math.Sqrt(float64(len(p)))
			require.InDelta(t, want, (p[len(p)*q/4]-least)/(most-least), sixErrors, "%s: quartile %d", tool, q)
		}
	}
}

// popularOrders returns the probabilities of the twenty most popular orders of the tiny dataset by zipf. Ranks are
// scattered over the keys by a stride.
func popularOrders(s float64) map[string]float64 {
	const first, count, stride = 103282, 2000, 7919
	sum := 0.0
	for rank := range count {
		sum += math.Pow(float64(rank+1), -s)
	}
	shares := make(map[string]float64)
	for rank := range 20 {
		shares[strconv.Itoa(first+rank*stride%count)] = math.Pow(float64(rank+1), -s) / sum
	}
	return shares
}

// requireDrawn checks how often values were drawn, within five standard deviations.
func requireDrawn(t testing.TB, tool string, shares map[string]float64, drawn map[string]int) {
	t.Helper()
	all := 0.0
	for _, n := range drawn {
		all += float64(n)
	}
	require.Greater(t, all, 100.0, tool)
	for value, share := range shares {
		deviation := math.Sqrt(all * share * (1 - share))
		require.InDelta(t, all*share, drawn[value], 5*deviation+2, "%s: %s of %.0f", tool, value, all)
	}
}

// The other distributions of keys have the shape that their parameters say, by both tools.
func TestK6_Distributions(t *testing.T) {
	s := newService(t, true)
	own := testenv.File(t, "own.json", `{"name": "own", "draws": {
		"order": {"distribution": "zipf", "s": 1}, "security": {"distribution": "normal", "mean": 0.25, "deviation": 0.1},
		"customer": {"distribution": "hot-set", "hot": 0.1, "share": 0.8}}, "mix": [
		{"transaction": "get_order", "weight": 1}, {"transaction": "get_security", "weight": 1},
		{"transaction": "customer_profile", "weight": 1}]}`)
	drive, k6, _ := drawnByBoth(t, s, own, 6*time.Second)
	for tool, d := range map[string]*drawn{"drive": drive, "k6": k6} {
		requireShapes(t, tool, d)
	}
}

// requireShapes checks what was drawn by the distributions of TestK6_Distributions.
func requireShapes(t testing.TB, tool string, d *drawn) {
	t.Helper()
	requireDrawn(t, tool+" zipf", popularOrders(1), d.values["orders"])
	const customers, stride = 200, 7919
	hot := make(map[string]bool)
	for rank := range customers / 10 {
		hot[strconv.Itoa(1002+rank*stride%customers)] = true
	}
	counts := map[string]int{}
	for customer, n := range d.values["customers"] {
		counts[strconv.FormatBool(hot[customer])] += n
	}
	requireDrawn(t, tool+" hot-set", map[string]float64{"true": .8, "false": .2}, counts)

	// The normal distribution of 500 securities, of which the part below the first is drawn again.
	below := map[string]int{}
	for i := range 500 {
		n := d.values["securities"][dataset.Symbol(i)]
		switch {
		case i < 75:
			below["a deviation less"] += n
		case i < 125:
			below["the mean"] += n
		default:
			below["more"] += n
		}
	}
	requireDrawn(t, tool+" normal", map[string]float64{"a deviation less": .1535, "the mean": .3433, "more": .5031}, below)
}

// drawnByBoth runs a workload by each tool on a service, and returns what the service received.
func drawnByBoth(t testing.TB, s service, file string, long time.Duration) (byDriver, k6 *drawn, d *workload.Definition) {
	t.Helper()
	byK6, k6 := s.record(t)
	settings := "USERS=4 RAMP=1s ALLOW_INVALID=yes OUT=r WORKLOAD=" + file + " DURATION=" + long.String()
	o := succeed(t, byK6.with(settings)...)
	service, byDriver := s.record(t)
	d, err := workload.Load(file)
	require.NoError(t, err)
	backend, err := drive.NewHTTP(service.URL, s.token, nil)
	require.NoError(t, err)
	run, err := drive.Run(t.Context(), drive.Plan{Definition: d, Users: 4, Duration: long, Seed: 1}, backend)
	require.NoError(t, err)
	require.Equal(t, o.result(t, "r.json").Workload.SHA256, run.Workload.SHA256)
	return byDriver, k6, d
}

// requireAlike compares how often each value was drawn, by chi-square of two samples.
func requireAlike(t testing.TB, name string, a, b map[string]int) {
	t.Helper()
	na, nb := 0.0, 0.0
	for value := range a {
		na += float64(a[value])
		nb += float64(b[value])
	}
	require.Greater(t, min(na, nb), 100.0, name)
	chi := 0.0
	for value := range a {
		x, y := float64(a[value]), float64(b[value])
		difference := x*math.Sqrt(nb/na) - y*math.Sqrt(na/nb)
		chi += difference * difference / (x + y)
	}
	degrees := float64(len(a) - 1)
	require.LessOrEqual(t, chi, degrees+6*math.Sqrt(2*degrees)+12, "%s: %v and %v", name, a, b)
}

// The defaults of workloads are in one file, which both tools read.
func TestDefaults_OnePlace(t *testing.T) {
	t.Parallel()
	text, err := loadtest.Workloads.ReadFile("workloads/defaults.json")
	require.NoError(t, err)
	var defaults workload.Definition
	require.NoError(t, json.Unmarshal(text, &defaults))
	d, err := workload.Parse("least", []byte(`{"name": "least", "mix": [{"transaction": "get_order", "weight": 1}]}`))
	require.NoError(t, err)
	require.Equal(t, defaults.Updates, d.Updates)
	require.Equal(t, defaults.Trades, d.Trades)
	require.Equal(t, defaults.Draws, d.Draws)
	require.Equal(t, defaults.Validate, d.Validate)
	require.Equal(t, workload.Range{100, 20099}, d.Updates.Price)
	mixed, err := workload.Load("mixed")
	require.NoError(t, err)
	require.Equal(t, defaults.Updates, mixed.Updates, "the hash of its file stands for what is drawn")
	require.Contains(t, testenv.Text(t, "lib/workload.js"), "../workloads/defaults.json")
	scripts, err := filepath.Glob("transactions/*.js")
	require.NoError(t, err)
	require.Greater(t, len(scripts), len(tpox.Transactions))
	for _, script := range append(scripts, "lib/workload.js", "lib/transactions.js") {
		require.NotRegexp(t, `\[\d+, ?\d+\]|'8'|0\.7|20000`, testenv.Text(t, script), script)
	}
}
