package loadtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Bad input is refused before any load, with one line and without a result.
func TestK6_BadInput(t *testing.T) {
	requireK6(t)
	full, empty := newService(t, true), newService(t, false)
	at := func(s service, settings ...string) []string {
		return append(s.with("USERS=2 DURATION=5s RAMP=1s"), settings...)
	}
	own := func(text string) []string {
		name := filepath.Join(t.TempDir(), "own.json")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return at(full, "WORKLOAD="+name)
	}
	mix := func(transaction, weight string) []string {
		return own(`{"name":"own","mix":[{"transaction":"` + transaction + `","weight":` + weight + `}]}`)
	}
	updates := func(field string) []string {
		return own(`{"name":"own","updates":{` + field + `},"mix":[{"transaction":"get_order","weight":1}]}`)
	}
	for name, c := range map[string]struct {
		settings []string
		says     string
	}{
		"UnknownWorkload": {
			at(full, "WORKLOAD=everything"),
			"WORKLOAD is one of mixed, query, insert-orders, insert-customers, classic, or the path of a file, " +
				`not "everything"`,
		},
		"NoSuchFile":         {at(full, "WORKLOAD=./nowhere.json"), "the file ./nowhere.json does not exist"},
		"NotJSON":            {own(`{"name":`), "is not JSON"},
		"WeightNoNumber":     {mix("get_order", `"ten"`), `gives get_order the weight "ten"`},
		"WeightsZero":        {mix("get_order", "0"), "weights that add up to 0"},
		"UnknownTransaction": {mix("get_orders", "1"), `"get_orders", which does not exist`},
		"DeletesOnly":        {mix("delete_order", "1"), "delete_order without insert_order"},
		"UsersNoNumber":      {at(full, "USERS=many"), `USERS is a whole number from 1 to 100000, not "many"`},
		"DurationNoTime":     {at(full, "DURATION=long"), "DURATION is a time of at least 1s"},
		"ServiceDown":        {at(full, "BASE_URL=http://127.0.0.1:1"), "no service answers at http://127.0.0.1:1"},
		"NoToken":            {at(full, "TOKEN="), "the service requires a token: set TOKEN"},
		"WrongToken":         {at(full, "TOKEN=wrong"), "the service does not accept the TOKEN"},
		"ScopeMissing":       {at(full, "TOKEN="+full.reader), "the TOKEN may not POST /v1/dataset/leases"},
		"EmptyDatabase":      {at(empty), "is empty: load a dataset first"},
		"TooSmall":           {at(full, "USERS=201"), "too small for 201 users: it has 200 customers"},
		"NoTemplates":        {at(full, "TEMPLATES="+t.TempDir()), "there are no templates of order"},
		"UnknownSetting":     {at(full, "WORKLOADS=mixed"), "there is no setting WORKLOADS"},
		"NotASettingAtAll":   {at(full, "CONCURRENCY=3"), "there is no setting CONCURRENCY"},
		"DurationNoUnit":     {at(full, "DURATION=3"), `DURATION is a time of at least 1s, such as 90s or 1m30s, not "3"`},
		"UsersHexadecimal":   {at(full, "USERS=0x3"), `USERS is a whole number from 1 to 100000, not "0x3"`},
		"AllowMaybe":         {at(full, "ALLOW_INVALID=maybe"), `ALLOW_INVALID is yes or no, not "maybe"`},
		"PriceNoRange":       {updates(`"price":[0,1]`), "a price to update that is not"},
		"StatusUnknown":      {updates(`"status":["5"]`), "a status to update that is no list of codes"},
		"NoFolder":           {at(full, "OUT=nowhere/k6"), "OUT: there is no folder nowhere"},
		"FolderNotWritable":  {at(full, "OUT=/proc/k6"), "OUT: nothing can be written in the folder /proc"},
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

// k6's own options for users and times would run another load than the script's, or none.
func TestK6_OwnArguments(t *testing.T) {
	requireK6(t)
	for _, arguments := range []string{
		"--vus 3", "--vus=3", "-u 3", "--duration 3s", "-d3s", "--iterations 5", "--stage 5s:3",
	} {
		cmd := exec.CommandContext(t.Context(), "./k6", strings.Fields("run brokerage.js "+arguments)...)
		out, err := cmd.CombinedOutput()
		require.Error(t, err, arguments)
		require.Equal(t, 2, cmd.ProcessState.ExitCode())
		require.Contains(t, string(out), "has no effect in this script: set USERS, DURATION, RAMP or RATE")
		require.Equal(t, 1, strings.Count(string(out), "\n"))
	}
}
