package db2

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// A visit is a trial on a real server: make test-db2 DB2_DSN=db2://….
type visit struct {
	trial
	url      *url.URL
	schema   string
	folder   string // of the evidence; empty for none
	settings Options
	data     *dataset.Dataset // for the suite
	small    bool             // for the stand-in, which is slow
	// dial returns connections of administration, which wait for locks no longer than the store and whose statements may
	// take any time, with one more keyword of the client library, if it is not empty.
	dial  func(t testing.TB, keyword string) *sql.DB
	admin *sql.DB
	// opened opens the store.
	opened func(context.Context, Options) (*Store, error)
}

// TestServer tries everything on a Db2, in an order in which the first part says the most, and leaves a page that says
// what was confirmed. No part ends the run but one: a schema that holds anything is refused.
func TestServer(t *testing.T) {
	v := newVisit(t)
	ctx := context.WithoutCancel(t.Context()) // the end of the test drops what it has made
	all, err := designs(v.schema)
	require.NoError(t, err)
	require.NoError(t, requireNothing(ctx, v.admin, v.schema, all))
	t.Cleanup(func() {
		v.drop(ctx, v.settings)
		v.keepPage(t)
		for _, q := range v.unconfirmed() {
			t.Errorf("%s %s", q, v.answer(q))
		}
	})
	if v.folder != "" {
		writeScripts(t, v.folder, v.settings)
		v.keep(t, "before.txt", []byte(inventory(ctx, v.admin, configurations)))
	}
	for _, step := range v.steps() {
		t.Run(step.name, step.run)
		v.keepPage(t) // as far as it is known, in case that the next step does not end
	}
}

// A step of a visit fails no test: it notes what was answered.
type step struct {
	name string
	run  func(*testing.T)
}

func (v *visit) steps() []step {
	return []step{
		{"Schema", v.createAlone}, {"Migrate", v.migrate}, {"Compile", v.compile}, {"Timeout", v.timeout},
		{"Conformance", v.conformance}, {"Plans", v.plans}, {"Campaign", v.campaign},
	}
}

// newVisit connects to the server that DB2_DSN names. A connection that fails ends the test.
func newVisit(t *testing.T) *visit {
	t.Helper()
	text := os.Getenv("DB2_DSN")
	if text == "" {
		testenv.Missing(t, "db2", "DB2_DSN names no Db2 (db2://USER@HOST:PORT/DATABASE)")
	}
	u, err := url.Parse(text)
	require.NoError(t, CheckURL(text))
	require.NoError(t, err)
	v := &visit{url: u, folder: os.Getenv("DB2_EVIDENCE"), data: dataset.New(dataset.Spec{Seed: 1})}
	if v.small = os.Getenv("DB2_SMALL") != ""; v.small {
		v.data = dataset.NewOf(1, dataset.Counts{Securities: 40, Customers: 24, Orders: 80})
	}
	v.untried = make(map[question]string)
	if query := u.Query(); !query.Has("schema") {
		query.Set("schema", testSchema)
		u.RawQuery = query.Encode()
	}
	parsed, err := parseURL(u.String(), os.Getenv)
	require.NoError(t, err)
	v.settings, v.schema = parsed.settings, parsed.settings.Schema
	require.NoError(t, parsed.readPassword())
	v.opened = func(ctx context.Context, s Options) (*Store, error) { return Open(ctx, u.String(), s) }
	v.dial = func(t testing.TB, how string) *sql.DB {
		connect, err := driverConnector(withKeyword(parsed, how))
		require.NoError(t, err)
		return alonePool(t, connect, parsed.settings.session()...)
	}
	v.admin = v.dial(t, "")
	require.NoError(t, v.admin.PingContext(t.Context()))
	if err := eachRow(t.Context(), v.admin, statements["server_version"], nil, func(rows *sql.Rows) error {
		return rows.Scan(&v.server)
	}); err != nil {
		v.server = "its version is not known: " + err.Error()
	}
	return v
}

// alonePool returns a pool for statements that are tried alone.
func alonePool(t testing.TB, connect driver.Connector, session ...string) *sql.DB {
	t.Helper()
	db := sql.OpenDB(connector{Connector: connect, session: session})
	t.Cleanup(func() { _ = db.Close() }) // what was tried is noted
	return db
}

// createAlone creates the schema of each script, statement by statement, and drops it again. Only if DB2_CONFIGURE is
// yes, it configures the database as the scripts say, and leaves a script that restores what was.
func (v *visit) createAlone(t *testing.T) {
	ctx, once := t.Context(), run(t.Context(), v.admin)
	all, err := designs(v.schema)
	require.NoError(t, err)
	for _, d := range all {
		v.each(askSchema, alone(d.name, d.ddl), once)
		v.each(askDrop, alone(d.name, undo(v.schema, d.ddl)), ignoreMissing(once))
	}
	if os.Getenv("DB2_CONFIGURE") != "yes" {
		v.untried[askConfigure] = "DB2_CONFIGURE is not yes"
		return
	}
	before, err := configurationOf(ctx, v.admin)
	if err != nil {
		v.untried[askConfigure] = "what could not be restored is not changed: " + err.Error()
		return
	}
	for _, d := range all {
		v.each(askConfigure, alone(d.name, d.settings), once)
	}
	now, err := configurationOf(ctx, v.admin)
	v.note(askConfigure, "the script restore.clp", "", err)
	v.keep(t, "restore.clp", []byte(restoring(before, now)))
}

// migrate creates the schema as the service does. If that fails, it creates it without table spaces of its own, so that
// the rest can be tried.
func (v *visit) migrate(t *testing.T) {
	ctx := t.Context()
	s, err := v.opened(ctx, Options{})
	v.note(askMigrate, "migrate", "", err)
	if err == nil {
		_ = s.Close() // the next step opens it again
		return
	}
	v.drop(ctx, v.settings)
	once := run(ctx, v.admin)
	for _, text := range plainly(v.settings.DDL()) {
		_ = once(text) // what Db2 refuses is known from createAlone
	}
	for _, setting := range newStamp() {
		_, failed := v.admin.ExecContext(ctx, statements["insert_setting"], setting[0], setting[1])
		err = errors.Join(err, failed)
	}
	v.note(askMigrate, "without its storage, and without registered XML schemas, for what follows", "", err)
}

// compile compiles each statement alone, and asks what could take the place of doubtful ones.
func (v *visit) compile(t *testing.T) {
	db := v.dial(t, eager)
	v.each(askCompile, everything(v.schema), compile(t.Context(), db))
	if v.small {
		v.untried[askProbes] = "it is a stand-in, whose XQuery is another one's"
		return
	}
	v.each(askProbes, []named{
		{"buy_security by fn:round-half-to-even", shorter("buy_security")},
		{"sell_security by fn:round-half-to-even", shorter("sell_security")},
	}, compile(t.Context(), db))
	for _, d := range doubts {
		var said sql.NullString
		err := eachRow(t.Context(), v.admin, d.text(), nil, func(rows *sql.Rows) error { return rows.Scan(&said) })
		if err == nil && said.String != d.answer {
			err = fmt.Errorf("the answer is %q, and not %q", said.String, d.answer)
		}
		v.note(askProbes, d.name, d.text(), err)
	}
}

// timeout runs a statement that takes minutes with a timeout of two seconds, which the client library must enforce.
func (v *visit) timeout(t *testing.T) {
	err := run(t.Context(), v.dial(t, "QueryTimeout=2"))(lengthy)
	switch {
	case err == nil:
		err = errors.New("the statement ran to its end")
	case serverErrorOf(err).Code == codeInterrupted:
		err = nil
	}
	v.note(askTimeout, "a statement of minutes", lengthy, err)
}

const (
	// It counts about 10⁹ rows, so that it ends by itself where there is no timeout.
	lengthy = "SELECT COUNT_BIG(*) FROM SYSCAT.COLUMNS AS a, SYSCAT.COLUMNS AS b, " +
		"(SELECT colno FROM SYSCAT.COLUMNS FETCH FIRST 20 ROWS ONLY) AS c"

	codeInterrupted = -952
)

// open opens the store, or skips the step, whose question then has a reason.
func (v *visit) open(t *testing.T, q question, rules tpox.Rules) *Store {
	t.Helper()
	s, err := v.opened(t.Context(), Options{Rules: rules, Notice: func(text string) { t.Log(text) }})
	if err != nil {
		v.note(q, "opening the store, for "+t.Name(), "", err)
		v.untried[q] = "the store does not open: " + err.Error()
		t.Skip(v.untried[q])
	}
	t.Cleanup(func() { _ = s.Close() }) // a case may have closed it
	return s
}

// filled returns the store with a dataset and nothing else.
func (v *visit) filled(t *testing.T, q question, d *dataset.Dataset, rules tpox.Rules) *Store {
	t.Helper()
	s := v.open(t, q, rules)
	err := s.Empty(t.Context())
	if err == nil {
		err = s.LoadDataset(t.Context(), d, nil)
	}
	if err == nil {
		v.note(askStatistics, "for "+t.Name(), "", s.Runstats(t.Context())) // a load only reports a failure as a notice
	}
	if err != nil {
		v.note(q, "loading, for "+t.Name(), "", err)
		v.untried[q] = "the database was not loaded: " + err.Error()
		t.Skip(v.untried[q])
	}
	return s
}

// conformance runs the suite; its cases are tests of their own, and their output is in tests.txt.
func (v *visit) conformance(t *testing.T) {
	storetest.Run(t, storetest.Options{
		// Of fewer rows than those of the scale tiny, Db2 would rightly scan all, and wait for others that are locked.
		Dataset: v.data,
		Open: func(tb testing.TB, d *dataset.Dataset, rules tpox.Rules) tpox.Store {
			t := tb.(*testing.T)
			t.Cleanup(func() {
				var err error
				if t.Failed() {
					err = errors.New("failed; tests.txt has the reason")
				} else if t.Skipped() {
					err = errors.New("not run: " + v.untried[askConformance])
				}
				v.note(askConformance, strings.TrimPrefix(t.Name(), "TestServer/Conformance/"), "", err)
			})
			return v.filled(t, askConformance, d, rules)
		},
		Reopen: func(t testing.TB, s tpox.Store) tpox.Store {
			require.NoError(t, s.Close())
			return v.open(t.(*testing.T), askConformance, s.(*Store).settings.Rules)
		},
		RaiseLeases: raiseAllLeases,
	})
}

func raiseAllLeases(t testing.TB, s tpox.Store, next int64) {
	_, err := s.(*Store).write(t.Context(), tpox.Write{}, retryUnknown, func(t *tx) ([]byte, error) {
		return nil, t.raiseLeases(map[string]int64{"order": next, "customer": next, "account": next})
	})
	require.NoError(t, err)
}

// planned is a dataset with which an index pays off.
func planned() *dataset.Dataset {
	return dataset.NewOf(1, dataset.Counts{Securities: 2000, Customers: 4000, Orders: 20000})
}

// plans explains every statement that finds documents.
func (v *visit) plans(t *testing.T) {
	p, err := newPlanner(t.Context(), v.dial(t, ""), v.admin)
	if err != nil {
		v.note(askPlans, "explain tables", installExplain, err)
		return
	}
	defer func() { _ = p.explained.Close() }() // its plans are read
	s := v.filled(t, askPlans, planned(), tpox.Rules{})
	var all strings.Builder
	for _, known := range everything(v.schema) {
		expected := expectedIndexes(known.name)
		if expected == nil {
			continue
		}
		plan, err := p.explain(t.Context(), known.text)
		fmt.Fprintf(&all, "%s, which should use %v\n", known.name, expected)
		for _, o := range plan {
			fmt.Fprintf(&all, "  %s\n", o)
		}
		if err == nil {
			err = requirePlan(plan, expected)
		}
		v.note(askPlans, known.name, "", err)
	}
	v.keep(t, "plans.txt", []byte(all.String()))
	space, err := s.Space(t.Context())
	v.note(askStatistics, "the sizes of the tables", "", err)
	bundle, err := json.MarshalIndent(map[string]any{"engine": s.Describe(), "space": space, "stats": s.Stats()}, "", "  ")
	require.NoError(t, err)
	v.keep(t, "server.json", bundle)
	v.keep(t, "inventory.txt", []byte(inventory(t.Context(), v.admin, slices.Concat(configurations, measured(v.schema)))))
}

func (v *visit) keepPage(t *testing.T) {
	t.Helper()
	if v.folder != "" {
		require.NoError(t, v.write(v.folder))
	}
}

// keep writes a file of the evidence.
func (v *visit) keep(t *testing.T, name string, content []byte) {
	t.Helper()
	if v.folder != "" {
		require.NoError(t, os.WriteFile(filepath.Join(v.folder, name), content, 0o644))
	}
}

// drop drops what a schema of the store consists of. What is not there was not created, or was dropped before.
func (v *visit) drop(ctx context.Context, s Options) {
	v.each(askDrop, alone(s.Schema, undo(s.Schema, s.DDL())), ignoreMissing(run(ctx, v.admin)))
	v.each(askDrop, alone(s.Schema, undoSchemas(s.Schema)), ignoreMissing(run(ctx, v.admin)))
}

// campaign runs a smoke campaign with the program that DB2_PROGRAM names. DB2_CAMPAIGN has other arguments than the
// preset.
func (v *visit) campaign(t *testing.T) {
	program := os.Getenv("DB2_PROGRAM")
	if program == "" || v.folder == "" {
		v.untried[askCampaign] = "DB2_PROGRAM names no program (make build-db2)"
		return
	}
	ctx := context.WithoutCancel(t.Context())
	v.drop(ctx, v.settings)
	u := *v.url // the password is in the environment, not among the arguments
	if password, is := u.User.Password(); is {
		t.Setenv(PasswordVariable, password)
		u.User = url.User(u.User.Username())
	}
	arguments := append([]string{
		"campaign", "--db", u.String(), "--out", filepath.Join(v.folder, "campaign"), "--preset", "smoke", "--allow-invalid",
	}, strings.Fields(os.Getenv("DB2_CAMPAIGN"))...)
	output, err := exec.CommandContext(t.Context(), program, arguments...).CombinedOutput()
	v.note(askCampaign, "campaign --preset smoke", "", err)
	v.keep(t, "campaign.txt", output)
}
