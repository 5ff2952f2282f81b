package loadtest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// Bad input is refused before any load, with one line and without a result.
func TestK6_BadInput(t *testing.T) {
	full, empty := newService(t, true), newService(t, false)
	at := func(s service, settings ...string) []string {
		return append(s.with("USERS=2 DURATION=5s RAMP=1s"), settings...)
	}
	own := func(text string) []string {
		return at(full, "WORKLOAD="+testenv.File(t, "own.json", text))
	}
	mix := func(transaction, weight string) []string {
		return own(`{"name":"own","mix":[{"transaction":"` + transaction + `","weight":` + weight + `}]}`)
	}
	updates := func(field string) []string {
		return own(`{"name":"own","updates":{` + field + `},"mix":[{"transaction":"get_order","weight":1}]}`)
	}
	draws := func(distribution string) []string {
		return own(`{"name":"own","draws":{"order":{"distribution":` + distribution +
			`}},"mix":[{"transaction":"get_order","weight":1}]}`)
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
		"OwnTransactions":    {own(`{"name":"own","transactions":[],"mix":[]}`), "one's own are for brokerage drive"},
		"SharedDocuments":    {own(`{"name":"own","newDocuments":"shared","mix":[]}`), "users of k6 share no memory"},
		"ZipfNoExponent":     {draws(`"zipf"`), "draws order by zipf without s above 0 and at most 10"},
		"UniformWithS":       {draws(`"uniform","s":2`), "draws order by uniform, which has no s"},
		"NoFolder":           {at(full, "OUT=nowhere/k6"), "OUT: there is no folder nowhere"},
		"FolderNotWritable":  {at(full, "OUT=/proc/k6"), "OUT: nothing can be written in the folder /proc"},
	} {
		t.Run(name, func(t *testing.T) { requireRefused(t, c.says, c.settings...) })
	}
}

// requireRefused checks that a run ends before any load with one line.
func requireRefused(t testing.TB, says string, settings ...string) {
	t.Helper()
	o := runK6(t, settings...)
	require.NotZero(t, o.code, "%s%s", o.stdout, o.stderr)
	require.Contains(t, strings.ReplaceAll(o.stderr, `\"`, `"`), says)
	require.Equal(t, 1, strings.Count(strings.TrimSpace(o.stderr), "\n")+1, o.stderr)
	require.Empty(t, strings.TrimSpace(o.stdout))
	files, err := os.ReadDir(o.folder)
	require.NoError(t, err)
	require.Empty(t, files)
}

// Settings that the workload, the steps or the parts of a load do not allow.
func TestK6_BadSettings(t *testing.T) {
	s := newService(t, true)
	soon := "START_AT=" + time.Now().Add(time.Minute).UTC().Format(time.RFC3339)
	for name, c := range map[string]struct{ settings, says string }{
		"WeightsUnknown":     {"WEIGHTS=get_orders=3", "WEIGHTS: get_orders=3 has a transaction that does not exist"},
		"WeightsNoNumber":    {"WEIGHTS=get_order", `WEIGHTS: "get_order" is not a transaction and its weight`},
		"WeightsDeletesOnly": {"WEIGHTS=delete_order=1", "delete_order without insert_order"},
		"ThinkNoTime":        {"THINK=normal:100ms", "THINK is a time such as 100ms, or 50ms..150ms"},
		"StepsDescend":       {"STEPS=200,100", "STEPS are at most 100 ascending whole numbers"},
		"StepsAndRate":       {"STEPS=100,200 RATE=50", "STEPS and RATE: set one of them"},
		"PartBeyond":         {"PART=5/4", "PART is a part of the load such as 2/4"},
		"PartNoStart":        {"PART=1/2", "PART needs START_AT"},
		"PartTooMany":        {"PART=1/3 " + soon, "PART: 2 users cannot be shared by 3"},
		"StartPassed":        {"START_AT=2020-01-31T15:04:05Z", "START_AT has passed"},
		"StartFar":           {"START_AT=2999-01-31T15:04:05Z", "START_AT is more than an hour away"},
		"Segment":            {"--execution-segment=0:1/2", "set PART, such as PART=auto/4"},
		"SystemTags":         {"--system-tags=name,check", "--system-tags lacks group"},
		"NoAPI":              {"K6_API=127.0.0.1:1 --address=127.0.0.1:0", "k6 does not answer at 127.0.0.1:1"},
		"MachineReadable":    {"--new-machine-readable-summary", "leaves out the figures that the result is made of"},
		"ManyIntervals":      {"DURATION=5m EVERY=1s", "a run has at most 100 intervals; set EVERY to at least 3s"},
	} {
		t.Run(name, func(t *testing.T) {
			requireRefused(t, c.says, append(s.with("USERS=2 DURATION=5s RAMP=1s"), strings.Fields(c.settings)...)...)
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
