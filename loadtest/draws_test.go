package loadtest_test

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/drive"
	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

// parameters finds the parameters in a text of a URL and a body.
var parameters = regexp.MustCompile(`/v1/(orders|securities|customers)/([^/ ?]+)|` +
	`[?&](sector|peMin|peMax|yieldMin)=([^& ]+)|<(LastTrade|Quantity)>([^<]+)|(Stat)="([^"]+)`)

// recording starts a service, and counts the values of the parameters that it receives, by their names.
func recording(t testing.TB) (s service, drawn map[string]map[string]float64) {
	t.Helper()
	drawn = map[string]map[string]float64{}
	var lock sync.Mutex
	return newService(t, func(r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what a client has cut off has no parameters
		r.Body = io.NopCloser(bytes.NewReader(body))
		lock.Lock()
		defer lock.Unlock()
		text := strings.ReplaceAll(r.URL.String(), "+", "%20") + " " + string(body)
		for _, m := range parameters.FindAllStringSubmatch(text, -1) {
			name, value := m[1]+m[3]+m[5]+m[7], m[2]+m[4]+m[6]+m[8]
			if drawn[name] == nil {
				drawn[name] = map[string]float64{}
			}
			drawn[name][value]++
		}
	}), drawn
}

// k6 draws the parameters of a workload as brokerage drive does: the two tools' counts of each value differ by no
// more than chance.
func TestK6_DrawsAsTheDriver(t *testing.T) {
	byK6, k6 := recording(t)
	file := testenv.File(t, "own.json", `{"name": "own", "updates": {"price": [100, 119]}, "draws": {
		"security": {"distribution": "zipf", "s": 1.2},
		"customer": {"distribution": "hot-set", "hot": 0.1, "share": 0.8},
		"order": {"distribution": "zipf", "s": 1}}, "mix": [
		{"transaction": "get_order", "weight": 2}, {"transaction": "customer_profile", "weight": 3},
		{"transaction": "update_security_price", "weight": 1}, {"transaction": "update_order_status", "weight": 1},
		{"transaction": "search_securities", "weight": 1}, {"transaction": "buy_security", "weight": 1}]}`)
	const long = 8 * time.Second
	code, printed, _ := byK6.k6(t, "USERS=4 RAMP=0 WORKLOAD="+file+" DURATION="+long.String())
	require.Zero(t, code, printed)
	byDrive, driven := recording(t)
	d, err := workload.Load(file)
	require.NoError(t, err)
	target, err := drive.NewHTTP(byDrive.URL, byDrive.token, nil)
	require.NoError(t, err)
	_, err = drive.Run(t.Context(), drive.Plan{Definition: d, Users: 4, Duration: long, Seed: 1}, target)
	require.NoError(t, err)

	for _, name := range []string{
		"orders", "securities", "customers", "sector", "peMin", "peMax", "yieldMin", "LastTrade", "Quantity", "Stat",
	} {
		requireAlike(t, name, k6[name], driven[name])
	}
}

// requireAlike compares two samples by chi-square. Values that are rare in both count as one.
func requireAlike(t testing.TB, name string, a, b map[string]float64) {
	t.Helper()
	const rare = "rare"
	binned := map[string][2]float64{}
	all := [2]float64{}
	for i, values := range []map[string]float64{a, b} {
		for value, n := range values {
			if a[value]+b[value] < 20 {
				value = rare
			}
			bin := binned[value]
			bin[i] += n
			all[i] += n
			binned[value] = bin
		}
	}
	require.Greater(t, min(all[0], all[1]), 100.0, name)
	require.Greater(t, len(binned), 2, name)
	chi, degrees := 0.0, float64(len(binned)-1)
	for _, n := range binned {
		difference := n[0]*math.Sqrt(all[1]/all[0]) - n[1]*math.Sqrt(all[0]/all[1])
		chi += difference * difference / (n[0] + n[1])
	}
	require.LessOrEqual(t, chi, degrees+6*math.Sqrt(2*degrees)+6, "%s: %v by k6 and %v by drive", name, a, b)
}
