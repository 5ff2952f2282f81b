package db2

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// A visit is a trial on a real server: make test-db2 DB2_DSN=db2://….
type visit struct {
	trial
	url            *url.URL
	target         target
	schema, folder string // folder receives the evidence
	admin          *sql.DB
	small          bool // the server is the stand-in, which is slow
}

// TestServer tries everything on a Db2, the most informative part first, and leaves a page that says what was
// confirmed. A step that fails does not end the run, but a schema that holds anything is refused at the beginning.
func TestServer(t *testing.T) {
	v := newVisit(t)
	ctx := context.WithoutCancel(t.Context()) // the end of the test drops what it has made
	all, err := designs(v.schema)
	require.NoError(t, err)
	require.NoError(t, requireNothing(ctx, v.admin, v.schema, all))
	t.Cleanup(func() {
		v.drop(ctx)
		require.NoError(t, v.write(v.folder))
		for _, q := range questions {
			if failed, _ := v.failed(q); len(failed) > 0 {
				t.Errorf("%s %s", q, v.answer(q))
			}
		}
	})
	writeScripts(t, v.folder, v.schema)
	var drops []string
	for _, d := range all {
		drops = append(drops, undo(v.schema, d.ddl)...)
	}
	v.keep(t, "drop.clp", clpScript("Removes what an interrupted run has created. Most of it does not exist.", drops))
	v.keep(t, "before.txt", inventory(ctx, v.admin, configurations))
	for _, step := range []struct { // a step only notes what was answered; cases of the suite also fail
		name string
		run  func(*testing.T)
	}{
		{"Schema", v.createAlone}, {"Migrate", v.migrate}, {"Compile", v.compile}, {"Timeout", v.timeout},
		{"Conformance", v.conformance}, {"Plans", v.plans}, {"Campaign", v.campaign},
	} {
		t.Run(step.name, step.run)
		require.NoError(t, v.write(v.folder)) // the results so far, in case the next step does not end
	}
}

// newVisit connects to the server that DB2_DSN names. A connection that fails ends the test.
func newVisit(t *testing.T) *visit {
	t.Helper()
	text := os.Getenv("DB2_DSN")
	if text == "" {
		testenv.Missing(t, "db2", "DB2_DSN names no Db2 (db2://USER@HOST:PORT/DATABASE)")
	}
	require.NoError(t, CheckURL(text))
	u, err := url.Parse(text)
	require.NoError(t, err)
	if query := u.Query(); !query.Has("schema") {
		query.Set("schema", testSchema)
		u.RawQuery = query.Encode()
	}
	v := &visit{url: u, folder: cmp.Or(os.Getenv("DB2_EVIDENCE"), t.TempDir()), small: os.Getenv("DB2_SMALL") != ""}
	v.target, err = parseURL(u.String())
	require.NoError(t, err)
	require.NoError(t, v.target.readPassword())
	t.Setenv(PasswordVariable, v.target.password) // so that it is not among the arguments of a program
	u.User = url.User(v.target.user)
	v.schema, v.untried = v.target.settings.Schema, make(map[question]string)
	v.admin = v.dial(t, unlimited)
	require.NoError(t, v.admin.PingContext(t.Context()))
	version, err := texts(t.Context(), v.admin, statements["server_version"])
	v.server = fmt.Sprint(version, err)
	return v
}

// dial returns a pool of connections with the store's lock timeout and the given keywords of the client library.
func (v *visit) dial(t testing.TB, keywords ...string) *sql.DB {
	t.Helper()
	connect, err := driverConnector(v.target.connection(keywords...))
	require.NoError(t, err)
	db := sql.OpenDB(connector{Connector: connect, session: v.target.settings.session()})
	t.Cleanup(func() { _ = db.Close() }) // what was tried is noted
	return db
}

const (
	unlimited = "QueryTimeout=0"
	// eager sends a statement to the server when it is prepared. By default the client library sends one without
	// parameters only when it is executed.
	eager = "DeferredPrepare=0"
)

// createAlone creates the schema of each script, statement by statement, and drops it again. If DB2_CONFIGURE is yes,
// it also configures the database as the scripts say, and leaves a script that restores the former configuration.
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
	before, err := texts(ctx, v.admin, configured)
	if err != nil {
		v.untried[askConfigure] = "the configuration was left unchanged, because it could not be read to restore it later: " +
			err.Error()
		return
	}
	for _, d := range all {
		v.each(askConfigure, alone(d.name, d.settings), once)
	}
	now, err := texts(ctx, v.admin, configured)
	v.note(askConfigure, "the script restore.clp", "", err)
	changed := slices.DeleteFunc(before, func(text string) bool { return slices.Contains(now, text) })
	v.keep(t, "restore.clp", clpScript("Restores the configuration that the trial has changed. Connect first.", changed))
}

// migrate creates the schema as the service does. If that fails, migrate creates the schema without its own table
// spaces, so that the next steps can be tried.
func (v *visit) migrate(t *testing.T) {
	s, err := Open(t.Context(), v.url.String(), Options{})
	v.note(askMigrate, "migrate", "", err)
	if err == nil {
		_ = s.Close() // the next step opens it again
		return
	}
	v.drop(t.Context())
	placement := regexp.MustCompile(` INLINE LENGTH \d+| IN \S+_ALL$`)
	list := slices.DeleteFunc(v.target.settings.DDL(), isStorage)
	for i, text := range list {
		list[i] = placement.ReplaceAllString(text, "")
	}
	list = append(list, "INSERT INTO settings (name, value) VALUES ('schema.version', '1'), ('database.identity', 'x')")
	v.each(askMigrate, alone("for what follows", list), run(t.Context(), v.admin))
}

// compile compiles each statement alone, and tries what could take the place of doubtful ones.
func (v *visit) compile(t *testing.T) {
	db := v.dial(t, unlimited, eager)
	v.each(askCompile, everything(v.schema), compile(t.Context(), db))
	if v.small {
		v.untried[askProbes] = "the server is a stand-in with another XQuery processor"
		return
	}
	v.each(askProbes, []named{
		{"buy_security by fn:round-half-to-even", shorter("buy_security")},
		{"sell_security by fn:round-half-to-even", shorter("sell_security")},
	}, compile(t.Context(), db))
	for _, d := range doubts {
		said, err := texts(t.Context(), v.admin, d.text())
		if err == nil && !slices.Equal(said, []string{d.answer}) {
			err = fmt.Errorf("the answer is %q, and not %q", said, d.answer)
		}
		v.note(askProbes, d.name, d.text(), err)
	}
}

// timeout runs a statement that takes minutes with a timeout of two seconds, which the client library must enforce.
func (v *visit) timeout(t *testing.T) {
	// It counts about 10⁹ rows, so that it ends by itself if the timeout does nothing.
	const lengthy = "SELECT COUNT_BIG(*) FROM SYSCAT.COLUMNS AS a, SYSCAT.COLUMNS AS b, " +
		"(SELECT colno FROM SYSCAT.COLUMNS FETCH FIRST 20 ROWS ONLY) AS c"
	err := cmp.Or(run(t.Context(), v.dial(t, "QueryTimeout=2"))(lengthy), errors.New("the statement ran to its end"))
	if serverErrorOf(err).Code == codeInterrupted {
		err = nil
	}
	v.note(askTimeout, "a statement of minutes", lengthy, err)
}

const codeInterrupted = -952

// must skips a step, or a case, after an error.
func (v *visit) must(t *testing.T, q question, what string, err error) {
	t.Helper()
	if err != nil {
		v.note(q, what+", for "+t.Name(), "", err)
		t.Skip(what, err)
	}
}

func (v *visit) open(t *testing.T, q question, rules tpox.Rules) *Store {
	t.Helper()
	s, err := Open(t.Context(), v.url.String(), Options{Rules: rules, Notice: func(text string) { t.Log(text) }})
	v.must(t, q, "opening the store", err)
	t.Cleanup(func() { _ = s.Close() }) // a case may have closed it
	return s
}

// filled returns the store with a dataset and nothing else.
func (v *visit) filled(t *testing.T, q question, d *dataset.Dataset, rules tpox.Rules) *Store {
	t.Helper()
	s := v.open(t, q, rules)
	v.must(t, q, "emptying the database", s.Empty(t.Context()))
	v.must(t, q, "loading", s.LoadDataset(t.Context(), d, nil))
	v.note(askStatistics, "for "+t.Name(), "", s.Runstats(t.Context())) // a load only reports a failure as a notice
	return s
}

// conformance runs the suite; its cases are tests of their own, and their output is in tests.txt.
func (v *visit) conformance(t *testing.T) {
	// If a table had fewer rows than at the scale tiny, Db2 would rightly scan it, and wait for rows that are locked.
	data := dataset.New(dataset.Spec{Seed: 1})
	if v.small {
		data = dataset.NewOf(1, dataset.Counts{Securities: 40, Customers: 24, Orders: 80})
	}
	storetest.Run(t, storetest.Options{
		Dataset: data,
		Open: func(tb testing.TB, d *dataset.Dataset, rules tpox.Rules) tpox.Store {
			t := tb.(*testing.T)
			t.Cleanup(func() {
				var err error
				if t.Failed() || t.Skipped() {
					err = errors.New("failed, or not run; tests.txt has the reason")
				}
				v.note(askConformance, strings.TrimPrefix(t.Name(), "TestServer/Conformance/"), "", err)
			})
			return v.filled(t, askConformance, d, rules)
		},
		Reopen: func(t testing.TB, s tpox.Store) tpox.Store {
			require.NoError(t, s.Close())
			return v.open(t.(*testing.T), askConformance, s.(*Store).settings.Rules)
		},
		RaiseLeases: func(t testing.TB, s tpox.Store, next int64) {
			require.NoError(t, s.(*Store).change(t.Context(), func(t *tx) error {
				return t.raiseLeases(map[string]int64{"order": next, "customer": next, "account": next})
			}))
		},
	})
}

// plans explains every statement that finds documents, with parameters of the declared types.
func (v *visit) plans(t *testing.T) {
	ctx := t.Context()
	_, installed := v.admin.ExecContext(ctx, installExplain) // fails if they exist: the next query decides
	tables, err := texts(ctx, v.admin, findExplain)
	if len(tables) != 1 {
		err = errors.Join(errors.New("neither the user nor SYSTOOLS has explain tables"), err, installed)
		v.note(askPlans, "explain tables", installExplain, err)
		return
	}
	enough := dataset.NewOf(1, dataset.Counts{Securities: 2000, Customers: 4000, Orders: 20000}) // for an index to pay off
	s := v.filled(t, askPlans, enough, tpox.Rules{})
	list := slices.DeleteFunc(everything(v.schema), func(s named) bool { return expectedIndexes(s.name) == nil })
	first := int(time.Now().Unix() % 1e6 * 1e3) // other numbers than those of an earlier run
	explains, query := explaining(list, first+1, tables[0])
	failed := make(map[string]error)
	for _, e := range explains {
		_, failed[e.name] = v.admin.ExecContext(ctx, e.text, arguments(e.text)...)
	}
	plans := make(map[string][]operator)
	listed := eachRow(ctx, v.admin, query, nil, func(rows *sql.Rows) error {
		var name string
		var o operator
		err := rows.Scan(&name, &o.id, &o.kind, &o.object, &o.cost)
		plans[name] = append(plans[name], o)
		return err
	})
	var all strings.Builder
	for _, known := range list {
		expected := expectedIndexes(known.name)
		fmt.Fprintf(&all, "%s, which should use %v\n", known.name, expected)
		for _, o := range plans[known.name] {
			fmt.Fprintf(&all, "  %3d %-8s %-20s %12.2f\n", o.id, o.kind, o.object, o.cost)
		}
		v.note(askPlans, known.name, "", cmp.Or(failed[known.name], listed, requirePlan(plans[known.name], expected)))
	}
	v.keep(t, "plans.txt", all.String())
	space, err := s.Space(ctx)
	v.note(askStatistics, "the sizes of the tables", "", err)
	v.keep(t, "inventory.txt", fmt.Sprintf("%+v\n%+v\n%+v\n", s.Describe(), space, s.Stats())+
		inventory(ctx, v.admin, slices.Concat(configurations, measured(v.schema))))
}

// keep writes a file of the evidence.
func (v *visit) keep(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(v.folder, name), []byte(content), 0o644))
}

// drop drops what the schema of the store consists of. What is not there was not created, or was dropped before.
func (v *visit) drop(ctx context.Context) {
	v.each(askDrop, alone(v.schema, undo(v.schema, v.target.settings.DDL())), ignoreMissing(run(ctx, v.admin)))
}

// campaign runs a smoke campaign with the program that DB2_PROGRAM names. DB2_CAMPAIGN has further arguments.
func (v *visit) campaign(t *testing.T) {
	program := os.Getenv("DB2_PROGRAM")
	if program == "" {
		v.untried[askCampaign] = "DB2_PROGRAM names no program (make build-db2)"
		return
	}
	v.drop(t.Context())
	arguments := append([]string{"campaign", "--db", v.url.String(), "--out", filepath.Join(v.folder, "campaign"),
		"--preset", "smoke", "--allow-invalid"}, strings.Fields(os.Getenv("DB2_CAMPAIGN"))...)
	output, err := exec.CommandContext(t.Context(), program, arguments...).CombinedOutput()
	v.note(askCampaign, "campaign --preset smoke", "", err)
	v.keep(t, "campaign.txt", string(output))
}
