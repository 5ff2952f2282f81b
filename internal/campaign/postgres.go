package campaign

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	deployed "brokerage/deploy/postgres"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres"
)

// postgresSubject is a database on a server, which may belong to others: everything outside the schema brokerage stays
// as it was.
type postgresSubject struct{ baseSubject }

func newPostgres(url, folder string) postgresSubject {
	return postgresSubject{baseSubject{
		url: url, backup: filepath.Join(folder, "postgres.backup.zst"), validation: inService,
		// Below what was measured at XXXS on two cores, so that the plan holds. A restore computes the keys of all
		// documents again, on one connection.
		pace: Pace{Load: 20e6, Backup: 30e6, Restore: 8e6, Insert: 4e6},
	}}
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

const manyConnections = 64

// Variants returns fewer and more connections.
func (postgresSubject) Variants(cores int) []Variant {
	pool := func(n int, format string, values ...any) Variant {
		return Variant{Name: fmt.Sprintf("pool %d", n), Pool: n, Description: fmt.Sprintf(format, values...)}
	}
	return []Variant{
		pool(2*cores, "two connections for each core instead of %d in all", postgres.DefaultPool),
		pool(manyConnections, "%d connections instead of %d", manyConnections, postgres.DefaultPool)}
}

func (e postgresSubject) As(Variant) Subject { return e }

// Describe includes the server's settings, which the results depend on.
func (e postgresSubject) Describe(ctx context.Context) (StoreStamp, error) {
	is, err := e.baseSubject.Describe(ctx)
	if err != nil {
		return is, err
	}
	var tuned []string // names of the settings in tuned.conf
	for line := range strings.Lines(deployed.Tuned) {
		if name, _, sets := strings.Cut(line, " = "); sets && !strings.HasPrefix(line, "#") {
			tuned = append(tuned, name)
		}
	}
	err = e.admin(ctx, func(a *postgres.Admin) error {
		settings, err := a.Settings(ctx, tuned)
		for _, s := range settings {
			is.Settings[s.Name] = s.Value
		}
		return err
	})
	return is, err
}

// clusterSubject is a Citus cluster. It has no backup of all nodes.
type clusterSubject struct{ postgresSubject }

func (clusterSubject) Reloads() bool { return true }

func (clusterSubject) Lacks(kind StepKind) string {
	if kind == KindBackup || kind == KindRestore {
		return "a Citus cluster has no backup of all nodes: it is loaded again before a run that follows a write"
	}
	return ""
}

func (clusterSubject) Room(*dataset.Dataset, float64) (string, float64) { return "", 0 }
