package campaign

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// postgresIn returns the subject for a database of a server.
func postgresIn(t testing.TB, url string) postgresSubject {
	t.Helper()
	e, err := Open(url, t.TempDir(), Commands{})
	require.NoError(t, err)
	return e.(postgresSubject)
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	e := postgresIn(t, server.URL(server.Database(t)))
	ctx := t.Context()
	name, err := e.Holds(ctx)
	require.NoError(t, err)
	require.Empty(t, name)
	require.ErrorIs(t, e.with(ctx, true, nil), store.ErrEmpty, "Holds creates nothing")
	testSubject(t, e, func(do func(tpox.Store) error) error {
		return e.with(ctx, true, func(s store.Bulk) error { return do(s) })
	})

	is, err := e.Describe(ctx)
	require.NoError(t, err)
	require.Equal(t, "postgres", is.Engine)
	require.NotContains(t, is.URL, "host=", "a result may be published")
	require.Equal(t, "off", is.Settings["fsync"])
	require.Equal(t, "128MB", is.Settings["shared_buffers"])
	require.Equal(t, "on", is.Settings["data_checksums"])

	require.NoError(t, e.Remove(ctx))
	name, err = e.Holds(ctx)
	require.NoError(t, err)
	require.Empty(t, name)
	require.NoFileExists(t, e.backup)

	server.Halt(t)
	server.DisableChecksums(t)
	server.Again(t)
	is, err = e.Describe(ctx)
	require.NoError(t, err)
	require.Equal(t, "off", is.Settings["data_checksums"])
}

// A cluster is in the loaded state again after a restore, without a backup.
func TestPostgres_Cluster(t *testing.T) {
	cluster := pgtest.StartCluster(t, 2)
	e, err := Open(cluster.URL(cluster.Database(t), 0)+"&distribute=4", t.TempDir(), Commands{})
	require.NoError(t, err)
	d := dataset.New(dataset.Spec{Seed: 1})
	require.NoError(t, e.Create(t.Context()))
	require.NoError(t, e.Load(t.Context(), d, func(int, int64) {}))
	s, err := store.Open(t.Context(), e.URL(), store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })

	r := running{Campaign: &Campaign{Subject: e}, dataset: d, intact: make(map[string]bool)}
	for range 2 { // the second insert would be refused if the order were still there
		_, err = s.InsertOrder(t.Context(), tpox.Write{Now: time.Now()},
			d.AppendNewOrder(nil, 1, dataset.NewOrder{ID: 999_999}))
		require.NoError(t, err)
		r.intact[e.URL()] = false
		require.NoError(t, r.restore(t.Context(), e))
	}
	name, err := e.Holds(t.Context())
	require.NoError(t, err)
	require.Equal(t, d.Fingerprint(), name)
	is, err := e.Describe(t.Context())
	require.NoError(t, err)
	require.Equal(t, "on", is.Settings["distributed"])
	for _, v := range e.Variants(2) {
		require.False(t, v.Tuned)
	}
	_, err = e.Backup(t.Context())
	require.ErrorContains(t, err, "a Citus cluster has no snapshot of all nodes")
}

// settingsOf returns settings as a new connection has them.
func settingsOf(t testing.TB, e postgresSubject, names ...string) map[string]string {
	t.Helper()
	values := make(map[string]string)
	require.NoError(t, e.admin(t.Context(), func(a *postgres.Admin) error {
		settings, err := a.Settings(t.Context(), names)
		for _, s := range settings {
			values[s.Name] = s.Value
		}
		return err
	}))
	return values
}

// scalar returns the only value of a query.
func scalar[T any](t testing.TB, server *pgtest.Server, query string) (value T) {
	t.Helper()
	conn := server.Connect(t, "postgres")
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	require.NoError(t, conn.QueryRow(t.Context(), query).Scan(&value))
	return value
}

// altered returns everything that ALTER SYSTEM has left.
func altered(t testing.TB, server *pgtest.Server) string {
	t.Helper()
	return scalar[string](t, server, `
		SELECT coalesce(string_agg(name || '=' || setting, ' ' ORDER BY name), '')
		FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf'`)
}

// A server has tuned settings as long as a variant runs, and then exactly those that it had.
func TestPostgres_Tune(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	server.Exec(t, "postgres", "ALTER SYSTEM SET random_page_cost = 2.5")
	e := postgresIn(t, server.URL("postgres"))
	plain := e.As(e.Variants(2)[1]).(postgresSubject)
	require.NoError(t, plain.Tune(t.Context()))
	require.Equal(t, "random_page_cost=2.5", altered(t, server), "another variant leaves them alone")

	all, err := tunedSettings()
	require.NoError(t, err)
	durable := settingsOf(t, e, "fsync", "synchronous_commit", "full_page_writes", "wal_level")
	names := slices.Collect(maps.Keys(all))
	before := settingsOf(t, e, names...)
	tuned := e.As(e.Variants(2)[0]).(postgresSubject)
	require.NoError(t, tuned.Tune(t.Context()))
	after := settingsOf(t, e, names...)
	require.Equal(t, "1.1", after["random_page_cost"])
	require.Equal(t, "off", after["jit"])
	require.Equal(t, "8GB", after["max_wal_size"])
	require.Equal(t, durable, settingsOf(t, e, "fsync", "synchronous_commit", "full_page_writes", "wal_level"))

	// A running server accepts all settings but those that the variant names, and compressions that it was not built with.
	compressions := scalar[[]string](t, server, "SELECT enumvals FROM pg_settings WHERE name = 'wal_compression'")
	for name, value := range all {
		named := strings.Contains(needRestart, name)
		if named {
			require.Equal(t, before[name], after[name], name)
		}
		built := name != "wal_compression" || slices.Contains(compressions, value)
		require.Equal(t, !named && built, strings.Contains(altered(t, server), name+"="), name)
	}

	// Tuned again by a resumed campaign, the note has still the first state; people can read it and restore it themselves.
	require.NoError(t, tuned.Tune(t.Context()))
	note := testenv.Text(t, filepath.Join(filepath.Dir(e.backup), "postgres.settings.json"))
	require.Contains(t, note, `"random_page_cost": "2.5"`)
	require.Contains(t, note, `"jit": null`)
	require.NoError(t, untune(canceled(t), e))
	require.Equal(t, "random_page_cost=2.5", altered(t, server))
	require.Equal(t, "2.5", settingsOf(t, e, "random_page_cost")["random_page_cost"])
	require.NoFileExists(t, e.before)
	require.NoError(t, e.Untune(t.Context()), "nothing is noted")
}

func canceled(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// Where the role may change no settings, or only some, the step is left out and the server keeps its settings.
func TestPostgres_MayNotTune(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	server.Exec(t, "postgres",
		"CREATE ROLE owner LOGIN; CREATE ROLE partly LOGIN; GRANT pg_read_all_settings TO partly; GRANT ALTER SYSTEM ON "+
			"PARAMETER jit TO partly;"+
			"GRANT SELECT ON pg_file_settings TO partly; GRANT EXECUTE ON FUNCTION pg_show_all_file_settings(), "+
			"pg_reload_conf() TO partly")
	for _, role := range []string{"owner", "partly"} {
		e := postgresIn(t, server.URLOf(role, "postgres")).As(Variant{Tuned: true}).(postgresSubject)
		var notHere *NotHereError
		require.ErrorAs(t, e.Tune(t.Context()), &notHere, role)
		require.Contains(t, notHere.Reason, "ALTER SYSTEM")
		require.Empty(t, altered(t, server), role)
		require.NoFileExists(t, e.before)
	}
}

// A resumed campaign restores the settings that a killed one had changed.
func TestPostgres_Resumes(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	w := newWorld(t)
	c := w.campaign(t.TempDir())
	e := newPostgres(server.URL("postgres"), c.Folder)
	require.NoError(t, e.As(Variant{Tuned: true}).Tune(t.Context()))
	require.FileExists(t, e.before)
	require.NotEmpty(t, altered(t, server))
	c.Subject = tunedFake{w.engine(), e}
	require.NoError(t, w.run(c))
	require.Empty(t, altered(t, server))
}

// What others have put into the folder does not change the server: there is none that could be reached.
func TestPostgres_ForeignNotes(t *testing.T) {
	e := newPostgres("postgres://127.0.0.1:1/none", t.TempDir())
	require.NoError(t, os.WriteFile(e.before, []byte(`{"archive_command": "forged"}`), 0o600))
	require.ErrorContains(t, e.Untune(t.Context()), "archive_command is not a setting that a campaign changes")
	for _, note := range []string{e.designed, e.before} {
		require.NoError(t, os.Symlink(testenv.File(t, "note", "{}"), note+".link"))
		require.NoError(t, os.Rename(note+".link", note))
		require.ErrorContains(t, e.Untune(t.Context()), note+" is not a file")
		require.NoError(t, os.Remove(note))
	}
	if os.Geteuid() != 0 {
		t.Skip("only root may give a file to another user")
	}
	for note, text := range map[string]string{e.designed: `"pglz"`, e.before: `{"jit": "off"}`} {
		require.NoError(t, os.WriteFile(note, []byte(text), 0o600))
		require.NoError(t, os.Chown(note, 65_534, -1))
		require.ErrorContains(t, e.Untune(t.Context()), note+" belongs to another user")
		require.NoError(t, os.Remove(note))
	}
}

// tunedFake is a fake database on a server whose settings can be restored.
type tunedFake struct {
	fakeEngine

	server postgresSubject
}

func (e tunedFake) Untune(ctx context.Context) error { return e.server.Untune(ctx) }

// A variant that the database does not allow is left out, and the rest is run.
func TestCampaign_NotHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.small = true
	for _, s := range w.completed(func(c *Campaign) { c.Subject = refusingEngine{w.engine()} }).Steps {
		if s.Kind == KindRun {
			require.Equal(t, LeftOut, s.State, s.Name)
			require.Equal(t, "not on this server", s.Reason)
		}
	}
}

type refusingEngine struct{ fakeEngine }

func (e refusingEngine) As(Variant) Subject         { return e }
func (e refusingEngine) Tune(context.Context) error { return &NotHereError{"not on this server"} }

// The processes of the server are found, and their figures are read.
func TestPostgres_Watch(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	w, err := postgresIn(t, server.URL("postgres")).Watch(t.Context())
	require.NoError(t, err)
	if runtime.GOOS == "linux" {
		require.Equal(t, server.PID(t), w.Process())
	}
	counted, err := w.Observe(t.Context(), false)
	require.NoError(t, err)
	require.Positive(t, counted.Figures["pg_commits_total"])
	require.NoError(t, w.Close())

	w, err = costless.Watch(t.Context())
	require.NoError(t, err)
	require.Nil(t, w)
}
