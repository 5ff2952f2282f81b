package campaign

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	deployed "brokerage/deploy/postgres"
	"brokerage/internal/store/postgres"
)

// postgresSubject is a database on a server, which may belong to others: everything outside the schema brokerage stays
// as it was.
type postgresSubject struct{ baseSubject }

func newPostgres(url, folder string) postgresSubject {
	return postgresSubject{baseSubject{
		url: url, backup: filepath.Join(folder, "postgres.backup.zst"), validation: inService,
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

// othersConnections is how many connections of a server are left to others: to its administrators and to this program.
const othersConnections = 10

// Connections is what the server allows, with some left for others.
func (e postgresSubject) Connections(ctx context.Context) (most int, err error) {
	err = e.admin(ctx, func(a *postgres.Admin) error {
		settings, err := a.Settings(ctx, []string{"max_connections"})
		if err == nil && len(settings) == 1 {
			most, err = strconv.Atoi(settings[0].Value)
		}
		return err
	})
	return max(1, most-othersConnections), err
}

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

func (clusterSubject) Lacks(kind StepKind) string {
	if kind == KindBackup || kind == KindRestore {
		return "a Citus cluster has no backup of all nodes: it is loaded again before a run that follows a write"
	}
	return ""
}
