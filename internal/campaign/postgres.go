package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	deployed "brokerage/deploy/postgres"
	"brokerage/internal/dataset"
	"brokerage/internal/output"
	"brokerage/internal/store/postgres"
)

// postgresEngine is a database on a server, which may belong to others: everything outside the schema brokerage stays
// as it was, or is restored.
type postgresSubject struct {
	baseSubject
	before string // file of the settings that Tune has changed, as they were before
	tuned  bool
	// designed is the file with the name of the design that Tune has made, and design that of postgresDesigns which it is
	// to make; "" for the default.
	designed, design string
}

func newPostgres(url, folder string) postgresSubject {
	return postgresSubject{
		before:   filepath.Join(folder, "postgres.settings.json"),
		designed: filepath.Join(folder, "postgres.design.json"),
		baseSubject: baseSubject{
			url: url, backup: filepath.Join(folder, "postgres.backup.zst"), validation: inService,
			// Below what was measured at XXXS on two cores, so that the plan holds. A restore computes the keys of all
			// documents again, on one connection.
			pace: Pace{Load: 20e6, Backup: 30e6, Restore: 8e6, Insert: 4e6},
		},
	}
}

// admin calls do with an administrator's connection to the server.
func (e postgresSubject) admin(ctx context.Context, do func(*postgres.Admin) error) error {
	a, err := postgres.Administer(ctx, e.url)
	if err != nil {
		return err
	}
	return errors.Join(do(a), a.Close())
}

func (e postgresSubject) Statistics(ctx context.Context) error {
	return e.admin(ctx, func(a *postgres.Admin) error { return a.Analyze(ctx) })
}

// Room is for the backup; the server decides where it keeps its files.
func (e postgresSubject) Room(d *dataset.Dataset, _ float64) (string, float64) {
	const share = 0.6 // of the documents, packed quickly: some more than was measured
	return filepath.Dir(e.backup), share * rawBytes(d)
}

const (
	manyConnections = 64
	// needRestart are the settings of tuned.conf that a campaign does not change: only the owner of a server may restart
	// it.
	needRestart = "shared_buffers, huge_pages, wal_buffers and max_connections"
)

// Variants returns the tuned server settings, and fewer and more connections.
func (e postgresSubject) Variants(cores int) []Variant {
	const tuned = "the server's settings by deploy/postgres/tuned.conf, as far as it takes them without a restart; " +
		"without " + needRestart
	pool := func(n int, format string, values ...any) Variant {
		return Variant{Name: fmt.Sprintf("pool %d", n), Pool: n, Factor: factorConnections,
			Description: fmt.Sprintf(format, values...)}
	}
	return []Variant{{Name: "tuned", Tuned: true, Description: tuned},
		pool(2*cores, "two connections for each core instead of %d in all", postgres.DefaultPool),
		pool(manyConnections, "%d connections instead of %d", manyConnections, postgres.DefaultPool)}
}

func (e postgresSubject) As(v Variant) Subject {
	e.tuned, e.design, e.parameters = v.Tuned, v.Design, v.Parameters
	return e
}

// Designs are other ways to store the documents, fewer and more indexes, and commits that do not wait for the disk.
func (postgresSubject) Designs() []Variant {
	return []Variant{
		designVariant(factorCompression, uncompressed, "documents of more than 2 kB are stored out of line as they are "+
			"(STORAGE EXTERNAL): more pages, no work to unpack"),
		designVariant(factorCompression, pglz, "documents are compressed by pglz instead of lz4: smaller and slower"),
		designVariant(factorInlining, inlined, "documents of up to a page stay in their row (toast_tuple_target 8160) "+
			"instead of a TOAST table: one lookup less, fewer rows a page"),
		designVariant(factorIndexes, fewIndexes, "only the indexes by which a document is found: searches and greatest "+
			"orders read whole tables; writes have less to do"),
		designVariant(factorIndexes, manyIndexes, "nine more indexes on values in the documents, which no query uses: what "+
			"they cost writes"),
		{Name: "asynchronous commit", Factor: factorDurability, Parameters: "synchronous_commit=off",
			Description: "a commit is answered before it is flushed to disk, and a power failure may lose the last ones"},
	}
}

func (postgresSubject) Absent() []Absent {
	return []Absent{{factorPools, "a server has one buffer pool, shared_buffers"}}
}

// Restore also makes the design, after the usual indexes are there.
func (e postgresSubject) Restore(ctx context.Context) (Copy, error) {
	c, err := e.baseSubject.Restore(ctx)
	if after := postgresDesigns[e.design].after; err == nil && len(after) > 0 {
		err = e.admin(ctx, func(a *postgres.Admin) error { return a.Run(ctx, after) })
	}
	return c, err
}

// makeDesign changes the tables, after it has noted that they have to be changed back.
func (e postgresSubject) makeDesign(ctx context.Context) error {
	if err := e.undoDesign(ctx); err != nil {
		return err
	}
	if err := writeJSON(ctx, output.File{Path: e.designed, Kind: output.JSON, Mode: 0o600}, e.design); err != nil {
		return err
	}
	return e.admin(ctx, func(a *postgres.Admin) error { return a.Run(ctx, postgresDesigns[e.design].before) })
}

// undoDesign changes the tables back, if they were changed. The documents have the design until they are stored again.
func (e postgresSubject) undoDesign(ctx context.Context) error {
	var name string
	err := readNote(e.designed, &name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = e.admin(ctx, func(a *postgres.Admin) error { return a.Run(ctx, postgresDesigns[name].undo) })
	if err != nil {
		return fmt.Errorf("the tables must be changed back from the design that %s names: %w", e.designed, err)
	}
	return os.Remove(e.designed)
}

// Describe includes the server's settings, which the results depend on.
func (e postgresSubject) Describe(ctx context.Context) (StoreStamp, error) {
	is, err := e.baseSubject.Describe(ctx)
	if err != nil {
		return is, err
	}
	tuned, err := tunedSettings()
	if err != nil {
		return is, err
	}
	err = e.admin(ctx, func(a *postgres.Admin) error {
		settings, err := a.Settings(ctx, slices.Collect(maps.Keys(tuned)))
		for _, s := range settings {
			is.Settings[s.Name] = s.Value
		}
		return err
	})
	return is, err
}

// tunedSettings returns the settings of tuned.conf, by name.
func tunedSettings() (map[string]string, error) {
	settings, err := postgres.ReadSettings(deployed.Tuned)
	values := make(map[string]string, len(settings))
	for _, s := range settings {
		values[s.Name] = s.Value
	}
	return values, err
}

// Tune applies tuned.conf by ALTER SYSTEM, except for the settings that need a restart. None of them is about
// durability.
func (e postgresSubject) Tune(ctx context.Context) error {
	if e.design != "" {
		return e.makeDesign(ctx)
	}
	if !e.tuned {
		return nil
	}
	if err := e.Untune(ctx); err != nil { // the note must be of the settings as they were found
		return err
	}
	err := e.admin(ctx, func(a *postgres.Admin) error {
		changes, err := accepted(ctx, a)
		if err != nil {
			return err
		}
		before, err := a.Altered(ctx, slices.Collect(maps.Keys(changes)))
		if err != nil {
			return err
		}
		file := output.File{Path: e.before, Kind: output.JSON, Mode: 0o600}
		if err := writeJSON(ctx, file, before); err != nil { // where Untune finds it after a kill
			return err
		}
		return a.Alter(ctx, changes)
	})
	if err == nil {
		return nil
	}
	if back := untune(ctx, e); back != nil {
		return errors.Join(err, back)
	}
	if postgres.Forbidden(err) {
		return &NotHereError{"the role may not change the server's settings (ALTER SYSTEM)"}
	}
	return err
}

// accepted returns the settings of tuned.conf that a running server accepts.
func accepted(ctx context.Context, a *postgres.Admin) (map[string]*string, error) {
	tuned, err := tunedSettings()
	if err != nil {
		return nil, err
	}
	settings, err := a.Settings(ctx, slices.Collect(maps.Keys(tuned)))
	changes := make(map[string]*string)
	for _, s := range settings {
		if wanted := tuned[s.Name]; s.Takes(wanted) {
			changes[s.Name] = &wanted
		}
	}
	return changes, err
}

// readNote reads what a campaign has noted in a file. It refuses a file of another user, who could change the server by
// it wherever others may write to the folder.
func readNote(path string, into any) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case ofOthers(info):
		return fmt.Errorf("%s belongs to another user: remove it, or chown it if a campaign of yours wrote it", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return errors.Join(err, fmt.Errorf("%s was replaced while it was read", path))
	}
	if err := json.NewDecoder(f).Decode(into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Untune restores the server's settings and the design of the tables.
func (e postgresSubject) Untune(ctx context.Context) error {
	if err := e.undoDesign(ctx); err != nil {
		return err
	}
	var before map[string]*string
	err := readNote(e.before, &before)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	tuned, err := tunedSettings()
	if err != nil {
		return err
	}
	for name := range before {
		if _, is := tuned[name]; !is {
			return fmt.Errorf("%s: %s is not a setting that a campaign changes", e.before, name)
		}
	}
	err = e.admin(ctx, func(a *postgres.Admin) error {
		now, err := a.Altered(ctx, slices.Collect(maps.Keys(before)))
		if err != nil {
			return err
		}
		// Settings that still have their old value need no change, which the role may not be allowed to make.
		maps.DeleteFunc(before, func(name string, was *string) bool {
			is := now[name]
			return was == is || was != nil && is != nil && *was == *is
		})
		return a.Alter(ctx, before)
	})
	if err != nil {
		return fmt.Errorf("the settings of the server must be restored as %s has them: %w", e.before, err)
	}
	return os.Remove(e.before)
}

// clusterEngine is a Citus cluster. It has no backup of all nodes, no settings for all nodes, and no process that the
// others are children of.
type clusterSubject struct{ postgresSubject }

func (clusterSubject) Reloads() bool { return true }

func (clusterSubject) Lacks(kind StepKind) string {
	if kind == KindBackup || kind == KindRestore {
		return "a Citus cluster has no backup of all nodes: it is loaded again before a run that follows a write"
	}
	return ""
}

func (clusterSubject) Absent() (all []Absent) {
	for _, factor := range []string{factorCompression, factorInlining, factorIndexes, factorDurability} {
		all = append(all, Absent{factor, "a campaign does not change the tables or the settings of all nodes"})
	}
	return append(all, postgresSubject{}.Absent()...)
}

func (e clusterSubject) Variants(cores int) []Variant {
	return slices.DeleteFunc(e.postgresSubject.Variants(cores), func(v Variant) bool { return v.Tuned })
}

func (e clusterSubject) As(Variant) Subject                             { return e }
func (clusterSubject) Designs() []Variant                               { return nil }
func (clusterSubject) Room(*dataset.Dataset, float64) (string, float64) { return "", 0 }
