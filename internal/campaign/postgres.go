package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	deployed "brokerage/deploy/postgres"
	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/postgres"
)

// postgresEngine is a database of a server, which may be somebody else's: what is
// outside of the schema brokerage stays as it is, or is put back.
type postgresEngine struct {
	url, backup string
	before      string // file that notes the settings that Tune has changed
	tuned       bool
}

func newPostgres(url, folder string) postgresEngine {
	return postgresEngine{url: url, backup: filepath.Join(folder, "postgres.backup.zst"), before: filepath.Join(folder, "postgres.settings.json")}
}

func (e postgresEngine) URL() string { return e.url }

// Lacks nothing.
func (e postgresEngine) Lacks(Kind) string { return "" }

// with does something with the open database; asIs is for who only looks.
func (e postgresEngine) with(ctx context.Context, asIs bool, do func(*postgres.Store) error) (err error) {
	s, err := postgres.Open(ctx, e.url, postgres.Options{AsIs: asIs})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(s)
}

// admin does something with the server.
func (e postgresEngine) admin(ctx context.Context, do func(*postgres.Admin) error) (err error) {
	a, err := postgres.Administer(ctx, e.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return do(a)
}

// Holds makes no schema where there is none.
func (e postgresEngine) Holds(ctx context.Context) (name string, err error) {
	err = e.with(ctx, true, func(s *postgres.Store) error {
		name, err = holds(ctx, s)
		return err
	})
	if errors.Is(err, postgres.ErrEmpty) {
		return "", nil
	}
	return name, err
}

// Create empties the schema, or makes it. The database itself is not the
// campaign's to make.
func (e postgresEngine) Create(ctx context.Context) error {
	return e.with(ctx, false, func(s *postgres.Store) error { return s.Empty(ctx) })
}

func (e postgresEngine) Load(ctx context.Context, d *dataset.Dataset, progress func(int, int64)) error {
	return e.with(ctx, false, func(s *postgres.Store) error { return s.LoadDataset(ctx, d, progress) })
}

func (e postgresEngine) Loaded(ctx context.Context, k dataset.Kind) (n int64, err error) {
	err = e.with(ctx, true, func(s *postgres.Store) error {
		n, err = s.LoadedDocuments(ctx, k)
		return err
	})
	return n, err
}

func (e postgresEngine) Statistics(ctx context.Context) error {
	return e.admin(ctx, func(a *postgres.Admin) error { return a.Analyze(ctx) })
}

func (e postgresEngine) Space(ctx context.Context) (out Space, err error) {
	err = e.with(ctx, true, func(s *postgres.Store) error {
		out, err = measured(ctx, s)
		return err
	})
	return out, err
}

func (e postgresEngine) Backup(ctx context.Context) (c Copy, err error) {
	err = e.with(ctx, true, func(s *postgres.Store) error {
		done, err := s.BackupTo(ctx, e.backup, true, nil)
		c = Copy{Database: done.Bytes, File: done.Written}
		return err
	})
	return c, err
}

func (e postgresEngine) Restore(ctx context.Context) (c Copy, err error) {
	info, err := os.Stat(e.backup)
	if err != nil {
		return c, err
	}
	err = e.with(ctx, true, func(s *postgres.Store) error {
		m, err := s.Restore(ctx, e.backup, true, nil)
		c = Copy{Database: m.Bytes, File: info.Size()}
		return err
	})
	return c, err
}

func (e postgresEngine) BackedUp() bool {
	_, err := postgres.ReadManifest(e.backup)
	return err == nil
}

func (e postgresEngine) Discard() error {
	if err := os.Remove(e.backup); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Remove leaves the schema, empty.
func (e postgresEngine) Remove(ctx context.Context) error {
	return errors.Join(e.Discard(), e.Create(ctx))
}

// Pace is less than was measured at XXXS on two cores, so that the plan holds. A
// restore computes the keys of all documents anew, on one connection.
func (e postgresEngine) Pace() Pace { return Pace{Load: 20e6, Backup: 30e6, Restore: 8e6} }

// Room is for the backup; where the server keeps its files is not known here.
func (e postgresEngine) Room(d *dataset.Dataset, _ float64) (string, float64) {
	var raw float64
	for _, k := range dataset.Kinds {
		raw += float64(d.ExpectedBytes(k))
	}
	const share = 0.6 // of the documents, packed quickly: some more than was measured
	return filepath.Dir(e.backup), share * raw
}

// Variants: more and fewer connections, and the server set as we would set it.
func (e postgresEngine) Variants(cores int) []Variant {
	return []Variant{
		{
			Name: "tuned", Tuned: true,
			Description: "the server's settings by deploy/postgres/tuned.conf, as far as it takes them without a restart; without " + needRestart,
		},
		{Name: "pool " + fmt.Sprint(2*cores), Description: fmt.Sprintf("two connections for each core instead of %d in all", postgres.DefaultPool), Pool: 2 * cores},
		{Name: "pool " + fmt.Sprint(manyConnections), Description: fmt.Sprintf("%d connections instead of %d", manyConnections, postgres.DefaultPool), Pool: manyConnections},
	}
}

const (
	manyConnections = 64
	// needRestart are the settings of tuned.conf that a campaign leaves as they are:
	// when a server restarts is for those to say whose it is.
	needRestart = "shared_buffers, huge_pages, wal_buffers and max_connections"
)

func (e postgresEngine) As(v Variant) Engine {
	e.tuned = v.Tuned
	return e
}

// Describe asks the server how it is set, too: a result hangs on that.
func (e postgresEngine) Describe(ctx context.Context) (is Store, err error) {
	err = e.with(ctx, true, func(s *postgres.Store) error {
		is = described(store.Published(e.url), "by the project's schemas, in the service", s.Describe())
		return nil
	})
	if err != nil {
		return is, err
	}
	tuned, err := tunedSettings()
	if err != nil {
		return is, err
	}
	err = e.admin(ctx, func(a *postgres.Admin) error {
		settings, err := a.Settings(ctx, namesOf(tuned))
		for _, s := range settings {
			is.Settings[s.Name] = s.Value
		}
		return err
	})
	return is, err
}

// tunedSettings are those of tuned.conf.
func tunedSettings() ([]postgres.Setting, error) { return postgres.ReadSettings(deployed.Tuned) }

func namesOf(settings []postgres.Setting) (names []string) {
	for _, s := range settings {
		names = append(names, s.Name)
	}
	return names
}
