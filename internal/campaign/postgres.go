package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	deployed "brokerage/deploy/postgres"
	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/postgres"
)

// postgresEngine is a database on a server, which may belong to others: everything outside the schema brokerage stays
// as it is, or is restored.
type postgresEngine struct {
	opened[*postgres.Store]
	url, backup string
	before      string // file of the settings that Tune has changed, as they were before
	tuned       bool
}

func newPostgres(url, folder string) postgresEngine {
	open := func(ctx context.Context, asIs bool) (*postgres.Store, error) {
		return postgres.Open(ctx, url, postgres.Options{AsIs: asIs})
	}
	return postgresEngine{
		opened: opened[*postgres.Store]{open, postgres.ErrEmpty}, url: url,
		backup: filepath.Join(folder, "postgres.backup.zst"), before: filepath.Join(folder, "postgres.settings.json"),
	}
}

func (e postgresEngine) URL() string { return e.url }

func (e postgresEngine) Lacks(Kind) string { return "" }

// admin calls do with an administrator's connection to the server.
func (e postgresEngine) admin(ctx context.Context, do func(*postgres.Admin) error) (err error) {
	a, err := postgres.Administer(ctx, e.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return do(a)
}

// Create empties the schema, or creates it. It does not create the database.
func (e postgresEngine) Create(ctx context.Context) error {
	return e.with(ctx, false, func(s *postgres.Store) error { return s.Empty(ctx) })
}

func (e postgresEngine) Statistics(ctx context.Context) error {
	return e.admin(ctx, func(a *postgres.Admin) error { return a.Analyze(ctx) })
}

func (e postgresEngine) Backup(ctx context.Context) (c Copy, err error) {
	err = e.with(ctx, true, func(s *postgres.Store) error {
		m, written, err := s.BackupTo(ctx, e.backup, true, nil)
		c = Copy{Database: m.Bytes, File: written}
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

func (e postgresEngine) Discard() error { return removeIfThere(e.backup) }

// Remove leaves an empty schema.
func (e postgresEngine) Remove(ctx context.Context) error {
	return errors.Join(e.Discard(), e.Create(ctx))
}

// Pace is below what was measured at XXXS on two cores, so that the plan holds. A restore computes the keys of all
// documents again, on one connection.
func (e postgresEngine) Pace() Pace { return Pace{Load: 20e6, Backup: 30e6, Restore: 8e6} }

// Room is for the backup; the server decides where it keeps its files.
func (e postgresEngine) Room(d *dataset.Dataset, _ float64) (string, float64) {
	const share = 0.6 // of the documents, packed quickly: some more than was measured
	return filepath.Dir(e.backup), share * rawBytes(d)
}

// Variants are the tuned server settings, and fewer and more connections.
func (e postgresEngine) Variants(cores int) []Variant {
	return []Variant{
		{
			Name: "tuned", Tuned: true,
			Description: "the server's settings by deploy/postgres/tuned.conf, as far as it takes them without a restart; " +
				"without " + needRestart,
		},
		{Name: "pool " + fmt.Sprint(2*cores), Description: fmt.Sprintf("two connections for each core instead of %d in all",
			postgres.DefaultPool), Pool: 2 * cores},
		{Name: "pool " + fmt.Sprint(manyConnections), Description: fmt.Sprintf("%d connections instead of %d",
			manyConnections, postgres.DefaultPool), Pool: manyConnections},
	}
}

const (
	manyConnections = 64
	// needRestart are the settings of tuned.conf that a campaign does not change: only the owner of a server may restart
	// it.
	needRestart = "shared_buffers, huge_pages, wal_buffers and max_connections"
)

func (e postgresEngine) As(v Variant) Engine {
	e.tuned = v.Tuned
	return e
}

// Describe includes the server's settings, which the results depend on.
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

// tunedSettings returns the settings of tuned.conf.
func tunedSettings() ([]postgres.Setting, error) { return postgres.ReadSettings(deployed.Tuned) }

func namesOf(settings []postgres.Setting) (names []string) {
	for _, s := range settings {
		names = append(names, s.Name)
	}
	return names
}
