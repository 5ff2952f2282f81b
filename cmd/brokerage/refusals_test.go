package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/sqlite/sqlitetest"
	"brokerage/internal/testenv"
)

// refusal is how a command refuses arguments: its exit code, and a part of what it says.
type refusal struct {
	code int
	says string
}

// requireRefusals requires that a command, with or without flags of its own, refuses the arguments of each case, which
// are separated by spaces, in one line that shows no password.
func requireRefusals(t *testing.T, command string, cases map[string]refusal) {
	t.Helper()
	for args, c := range cases {
		t.Run(args, func(t *testing.T) {
			r := brokerage(t.Context(), strings.Fields(command+" "+args)...)
			requireOneLine(t, r, c.code, c.says)
			require.NotContains(t, r.err, "secret")
		})
	}
}

// refusalFiles are files that refusals name.
var refusalFiles = map[string]string{
	"letter": "a letter", "letters/thesis.txt": "a thesis",
	"unknown.yaml": "db: 'null:'\nmax_body: 1MiB\n", "twice.yaml": "db: 'null:'\ndb: 'null:'\n",
	"pool.yaml": "pool: 99999999\n", "half.json": `{"format": "brokerage-run/1",`,
}

// refusals are commands in a folder with refusalFiles, a result and databases. HERE stands for the folder, EXAMPLES for
// the folder of example workloads, TAKEN for an address where somebody listens.
var refusals = map[string]refusal{
	"frobnicate":            {exitUsage, "frobnicate"},
	"driv":                  {exitUsage, "(see brokerage --help)\n"},
	"dataset --sclae S":     {exitUsage, "--sclae"},
	"dataset --scale XXXXL": {exitUsage, "XXXXL"},

	"generate":                           {exitUsage, "--out"},
	"generate --out new --kind bond":     {exitUsage, "bond"},
	"generate --out new --part 17/16":    {exitUsage, "17/16"},
	"generate --out letters":             {exitFailed, "thesis.txt"},
	"generate --out letter":              {exitFailed, "not a directory"},
	"token --name a:b --scope read":      {exitUsage, `"a:b" is not a name`},
	"token --name a --scope read,write":  {exitUsage, `"write" is not a scope`},
	"verify --db null:":                  {exitUsage, "null: stores nothing"},
	"verify --db sqlite:none.db":         {exitFailed, "no such file"},
	"migrate --db null: --print":         {exitUsage, "null: stores nothing"},
	"backup --db sqlite:there.db":        {exitUsage, "--out"},
	"restore --from HERE --db sqlite:x":  {exitFailed, "has no backup"},
	"backup --db sqlite:none.db --out b": {exitFailed, "no such file"},
	"migrate --db postgres://me:secret@127.0.0.1:1/x?connect_timeout=1": {exitFailed,
		"postgres://me@127.0.0.1:1/x: the store is unavailable: connecting"},
	"backup --db sqlite:there.db --out there.bak": {exitFailed, "exists already: see --replace"},
	"backup --db sqlite:there.db --out n/b":       {exitFailed, "there is no folder HERE/n\n"},
	"backup --out x --db " + aDB2:                 {exitFailed, "docs/db2.md"},
	"restore --from x --db " + aDB2:               {exitFailed, "docs/db2.md"},
	"load --db " + aDB2 + "?unheard=1":            {exitUsage, "unheard"},

	"load":                                {exitUsage, "--db"},
	"load --db null:":                     {exitUsage, "null: stores nothing"},
	"load --db sqlite:x --validate":       {exitUsage, "--from"},
	"load --db sqlite:letter":             {exitFailed, "not a database"},
	"load --db sqlite:x --from letters":   {exitFailed, "neither .xml nor .zst"},
	"load --db sqlite:none/x.db":          {exitFailed, "none/x.db: there is no folder none\n"},
	"load --db sqlite:new.db --scale XXL": {exitFailed, ". needs about "},
	"load --db sqlite:x --customers 30":   {exitUsage, "--customers and --orders must be used together"},
	"load --db sqlite:x --orders 1e3":     {exitUsage, "--orders: expected"},
	"load --db sqlite:x --customers 0 --orders 1": {exitUsage,
		"--customers: 0 is outside of the range from 1"},
	"load --db sqlite:x --scale XS --customers 30 --orders 150": {exitUsage,
		"--scale and --customers can't be used together"},

	"report run.json run.json --out x.html": {exitUsage, "--out is for a report on one file"},
	"report half.json": {exitFailed, "brokerage report: half.json: not a result of brokerage campaign, brokerage drive " +
		"--json or k6 run --out json: unexpected end of JSON input\n"},

	"serve --port 8380": {exitUsage, "--port: there is no such flag; --listen takes address and port: " +
		"--listen 127.0.0.1:8380, or --listen :8380 for all addresses"},
	"serve --listen 8380": {exitUsage,
		`--listen: "8380" is not an address: use 127.0.0.1:8380 or, if other machines may connect, :8380`},
	"serve --db brokerage.db": {exitUsage,
		`"brokerage.db" is not the URL of a database: did you mean sqlite:brokerage.db?`},
	"serve --timeout 10":  {exitUsage, `--timeout: "10" has no unit: use 10s, 10ms, 10m or 10h`},
	"serve --timeout=-1s": {exitUsage, "--timeout: -1s is outside of the range from 0s to 24h"},
	"serve --pool 99999999": {exitUsage,
		"--pool: 99999999 is outside of the range from 0 to 10000 "},
	"serve --rate-limit NaN":    {exitUsage, "--rate-limit: NaN is outside of the range from 0 to "},
	"serve --max-body 2MiB":     {exitUsage, "2097152 is outside of the range from 1 to 1MiB"},
	"serve --config pool.yaml":  {exitUsage, "--pool: 99999999 is outside"},
	"serve --config none.yaml":  {exitUsage, "--config: open none.yaml: no such file"},
	"serve --config twice.yaml": {exitUsage, "twice.yaml: "},
	"serve --config unknown.yaml": {exitUsage,
		`there is no setting "max_body" (brokerage serve --help lists them)`},
	"serve --config /dev/zero":                     {exitUsage, "--config: /dev/zero is larger than 65.5 kB"},
	"serve --fill huge":                            {exitUsage, "--fill"},
	"serve --db null: --fill tiny":                 {exitUsage, "--fill is for an embedded database"},
	"serve --db null: --timeout 1m":                {exitUsage, "--write-timeout"},
	"serve --db null: --tokens x --host a.example": {exitUsage, "--host is for"},
	"serve --db null: --tokens none":               {exitFailed, "reading the tokens: open none: no such file"},
	"serve --db null: --tokens letter":             {exitFailed, "letter, line 1: "},
	"serve --db null: --jwt-audience a":            {exitUsage, "are for a service with --jwt-issuer"},
	"serve --db null: --jwt-issuer i --jwt-audience a --jwks-url https://192.0.2.1/ --jwt-algorithms none": {exitUsage,
		"is not a supported algorithm"},
	"serve --db null: --tls-cert x":                              {exitUsage, "require each other"},
	"serve --db null: --tls-client-ca x":                         {exitUsage, "--tls-client-ca is for"},
	"serve --db null: --tls-cert none --tls-key none":            {exitFailed, "--tls-cert and --tls-key"},
	"serve --db null: --listen 127.0.0.1:0 --audit-log HERE":     {exitUsage, "the audit log"},
	"serve --db null: --listen TAKEN":                            {exitFailed, "address already in use"},
	"serve --db null: --listen 127.0.0.1:0 --metrics-addr TAKEN": {exitFailed, "--metrics-addr: "},
	"serve --db sqlite:x.db?synchronous=normal":                  {exitUsage, "--not-durable accepts that"},
	"serve --wait --listen 127.0.0.1:0 --db sqlite:none/b.db":    {exitFailed, "there is no folder"},
	// Without tokens, only clients on this machine are accepted. Other machines get no profiles in any case.
	"serve --db null: --listen :0":             {exitUsage, notOnlyHere},
	"serve --db null: --listen 0.0.0.0:0":      {exitUsage, notOnlyHere},
	"serve --db null: --listen [::]:0":         {exitUsage, notOnlyHere},
	"serve --db null: --listen 192.0.2.1:8080": {exitUsage, notOnlyHere},
	"serve --db null: --insecure-no-auth --debug-addr :0": {exitUsage,
		"can be reached from other machines; use a loopback address"},

	"drive --durations 60s": {exitUsage, `unknown flag --durations, did you mean "--duration"? ` +
		"(see brokerage drive --help)\n"},
	"drive --db null: --users 0": {exitUsage,
		"--users: 0 is outside of the range from 1 to 10000 (see brokerage drive --help)\n"},
	"drive --duration soon":                     {exitUsage, `--duration: "soon" is not a time such as 500ms, 10s or 2m`},
	"drive --workload half.json":                {exitUsage, "brokerage drive: workload half.json: "},
	"drive --db null: --url http://127.0.0.1:1": {exitUsage, "can't be used together"},
	"drive --db null: --workload mixt":          {exitUsage, `no workload "mixt"`},
	"drive --db null: --workload EXAMPLES/logging/logging.json": {exitUsage,
		"--workload: the transaction log_entry has no statements for null"},
	"drive --db null: --weights get_order=3,get_oder=1": {exitUsage,
		`--weights: mix: there is no transaction "get_oder"`},
	"drive --db null: --json none/r.json": {exitUsage,
		"--json: HERE/none/r.json: there is no folder HERE/none\n"},
	"drive --db null: --json HERE": {exitUsage, "is not a file"},
	"drive --db null: --json /proc/r.json": {exitUsage,
		"cannot write to the folder /proc"},
	"drive --db null: --break true": {exitUsage,
		"--break and --at must be used together"},
	"drive --db null: --break true --at 9s --duration 5s":                  {exitUsage, "above 0 and below --duration"},
	"drive --db sqlite:none.db":                                            {exitFailed, "no such file"},
	"drive --db sqlite:empty.db":                                           {exitFailed, "load one"},
	"drive --db sqlite:there.db --users 201":                               {exitFailed, "too small for 201 users"},
	"drive --url http://127.0.0.1:1":                                       {exitFailed, "does not answer"},
	"drive --url http://127.0.0.1:1 --consistency stale=2":                 {exitUsage, "but must be primary, token, or"},
	"drive --url http://127.0.0.1:1 --watch-db postgres://u@127.0.0.1:1/d": {exitFailed, "--watch-db: "},
	"drive --db null: --find p99=20": {exitUsage,
		`"p99=20" is not a goal such as p99=20ms, get_order:p99=5ms or errors=0.1%`},
	"drive --db null: --find speed=5s": {exitUsage,
		"limit p50, p90, p95, p99, p99.9 or errors"},
	"drive --db null: --find get_oder:p99=20ms":                 {exitUsage, "the workload mixed does not run get_oder"},
	"drive --db null: --find p99=20ms --think 1s":               {exitUsage, "--find cannot be used with --think"},
	"drive --db null: --find p99=20ms --within 0s":              {exitUsage, "--within: 0s is outside of the range"},
	"drive --db null: --find p99=20ms --part 1/2" + inTheFuture: {exitUsage, "is for one load generator"},
	"drive --db null: --part 1/2":                               {exitUsage, "--part requires --start-at"},
	"drive --db null: --part 3/2" + inTheFuture:                 {exitUsage, `"3/2" is not a part`},
	"drive --db null: --part index/2" + inTheFuture: {exitUsage,
		"JOB_COMPLETION_INDEX is not a number"},
	"drive --db null: --part 1/3 --users 2" + inTheFuture:        {exitUsage, "2 users cannot be divided among 3 parts"},
	"drive --db null: --part 1/2 --start-at 2999-01-01T00:00:00": {exitUsage, "is not a time with its zone"},
	"drive --db null: --part 1/2 --start-at 2001-01-01T00:00:00Z": {exitFailed,
		"--start-at 2001-01-01T00:00:00Z was "},

	"campaign --out study --db b.db":                        {exitUsage, `did you mean sqlite:b.db?`},
	"campaign --out study --db sqlite:letter":               {exitFailed, "not a database"},
	"campaign --out study --db sqlite:there.db":             {exitFailed, "--replace empties it"},
	"campaign --out study --db postgres://127.0.0.1:1/none": {exitFailed, "connection refused"},
	"campaign --out letter":                                 {exitUsage, "not a directory"},
	"campaign --out study --scale XXL":                      {exitFailed, " needs about "},
	"campaign --out study --steps ./none.json":              {exitUsage, "none.json"},
	"campaign --out study --steps EXAMPLES/logging/logging.json": {exitUsage,
		"log_entry has no statements for a service"},
	"campaign --out study --users 1,99999999":                   {exitUsage, "--users: 99999999 is outside of"},
	"campaign --out study --pool 99999999":                      {exitUsage, "--pool: 99999999 is outside of"},
	"campaign --out a/b/study --preset none.yaml":               {exitUsage, "none.yaml: no such file"},
	"campaign --out study --preset paper-2007 --data-scale 0":   {exitUsage, "--data-scale: 0 is outside of the range"},
	"campaign --out study --preset paper-2007 --time-scale NaN": {exitUsage, "--time-scale: NaN is outside of the range"},
	"campaign --out study --preset paper-2007 --customers 5": {exitUsage,
		"--customers and --orders must be used together"},
	"campaign --out study --db db2://me@h/TPOX --backup-command true": {exitUsage,
		"--backup-command and --restore-command must be used together"},
	"campaign --out study --preset paper-2007 --data-scale 0.00001 --plan": {exitUsage, "too few for 50 users"},

	"compare null:":                          {exitUsage, "<b>"},
	"compare null: oracle:x":                 {exitUsage, "compared: B: this is not the URL of a database"},
	"compare exec: null:":                    {exitUsage, "A: exec: has no command; example: exec:./brokerage serve"},
	"compare null: null: --detect 3":         {exitUsage, `"3" is not a percentage`},
	"compare null: null: --tolerance 0%":     {exitUsage, "from 0.1% to 100%"},
	"compare null: null: --workload mixt":    {exitUsage, `no workload "mixt"`},
	"compare null: null: --out HERE":         {exitUsage, "is not a file"},
	"compare null: null: --json f --out ./f": {exitUsage, "is named for two outputs"},
	"compare null: sqlite:there.db":          {exitUsage, "the sides cannot be compared: A holds null/"},
	"compare null: sqlite:none.db":           {exitEnded, "no such file"},
	"compare http://127.0.0.1:1 null:":       {exitEnded, "A, http://127.0.0.1:1: the service at"},
}

const (
	inTheFuture = " --start-at 2999-01-01T00:00:00Z"
	notOnlyHere = "can be reached from other machines; set --tokens or --jwt-issuer, or --insecure-no-auth"
)

// A wrong command is refused in one line and leaves nothing behind. For a newcomer's mistake, the line shows what to
// type instead.
func TestRefusals(t *testing.T) {
	workloads, err := filepath.Abs(examples)
	require.NoError(t, err)
	run := testenv.Text(t, resultFile(t, "run.json", nil))
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("JOB_COMPLETION_INDEX", "")
	require.NoError(t, os.Mkdir("letters", 0o700))
	for name, text := range refusalFiles {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	require.NoError(t, os.WriteFile("run.json", []byte(run), 0o600))
	require.NoError(t, os.WriteFile("there.db", sqlitetest.TinyFile(t), 0o600))
	succeeds(t, "backup", "--db", "sqlite:there.db", "--out", "there.bak")
	succeeds(t, "migrate", "--db", "sqlite:empty.db")
	listed := func() []string { // without what SQLite keeps beside a database
		return slices.DeleteFunc(names(t, "."), func(name string) bool { return strings.Contains(name, ".db-") })
	}
	before := listed()
	placed := strings.NewReplacer("HERE", dir, "EXAMPLES", workloads, "TAKEN", listener(t).Addr().String())
	for command, c := range refusals {
		requireRefusals(t, "", map[string]refusal{placed.Replace(command): {c.code, placed.Replace(c.says)}})
		require.Equal(t, before, listed(), "%s leaves something", command)
	}
	for name, text := range refusalFiles {
		require.Equal(t, text, testenv.Text(t, name))
	}
}
