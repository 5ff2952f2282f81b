package loadtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What cannot be run is refused before any load: one line, and no result.
func TestK6_BadInput(t *testing.T) {
	requireK6(t)
	full, empty := newService(t, true), newService(t, false)
	at := func(s service, settings ...string) []string {
		return append([]string{"BASE_URL=" + s.URL, "TOKEN=" + s.token, "USERS=2", "DURATION=5s", "RAMP=1s"}, settings...)
	}
	own := func(text string) []string {
		name := filepath.Join(t.TempDir(), "own.json")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return at(full, "WORKLOAD="+name)
	}
	for name, c := range map[string]struct {
		settings []string
		says     string
	}{
		"UnknownWorkload":    {at(full, "WORKLOAD=everything"), `WORKLOAD is one of mixed, query, insert-orders, insert-customers, classic, or the path of a file, not "everything"`},
		"NoSuchFile":         {at(full, "WORKLOAD=./nowhere.json"), "there is no file ./nowhere.json"},
		"NotJSON":            {own(`{"name":`), "is not JSON"},
		"WeightNoNumber":     {own(`{"name":"own","mix":[{"transaction":"get_order","weight":"ten"}]}`), `gives get_order the weight "ten"`},
		"WeightsZero":        {own(`{"name":"own","mix":[{"transaction":"get_order","weight":0}]}`), "weights that add up to 0"},
		"UnknownTransaction": {own(`{"name":"own","mix":[{"transaction":"get_orders","weight":1}]}`), `"get_orders", which does not exist`},
		"DeletesOnly":        {own(`{"name":"own","mix":[{"transaction":"delete_order","weight":1}]}`), "delete_order without insert_order"},
		"UsersNoNumber":      {at(full, "USERS=many"), `USERS is a whole number from 1 to 100000, not "many"`},
		"DurationNoTime":     {at(full, "DURATION=long"), "DURATION is a time of at least 1s"},
		"ServiceDown":        {at(full, "BASE_URL=http://127.0.0.1:1"), "no service answers at http://127.0.0.1:1"},
		"NoToken":            {at(full, "TOKEN="), "the service wants a token: set TOKEN"},
		"WrongToken":         {at(full, "TOKEN=wrong"), "the service does not know the TOKEN"},
		"ScopeMissing":       {at(full, "TOKEN="+full.reader), "the TOKEN may not POST /v1/dataset/leases"},
		"EmptyDatabase":      {at(empty), "is empty: load a dataset first"},
		"TooSmall":           {at(full, "USERS=201"), "too small for 201 users: it has 200 customers"},
		"NoTemplates":        {at(full, "TEMPLATES="+t.TempDir()), "there are no templates of order"},
	} {
		t.Run(name, func(t *testing.T) {
			o := runK6(t, c.settings...)
			require.NotZero(t, o.code, "%s%s", o.stdout, o.stderr)
			require.Contains(t, strings.ReplaceAll(o.stderr, `\"`, `"`), c.says)
			require.Equal(t, 1, strings.Count(strings.TrimSpace(o.stderr), "\n")+1, o.stderr)
			require.Empty(t, strings.TrimSpace(o.stdout))
			files, err := os.ReadDir(o.folder)
			require.NoError(t, err)
			require.Empty(t, files)
		})
	}
}
