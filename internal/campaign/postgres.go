package campaign

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"

	deployed "brokerage/deploy/postgres"
	"brokerage/internal/result"
	"brokerage/internal/store/postgres"
)

// postgresDatabase is a database that others may use too: everything outside its schema brokerage stays as it was.
type postgresDatabase struct{ database }

// settings returns those of the named settings that the server has.
func (e postgresDatabase) settings(ctx context.Context, names []string) (map[string]string, error) {
	a, err := postgres.Administer(ctx, e.URL())
	if err != nil {
		return nil, err
	}
	list, err := a.Settings(ctx, names)
	settings := make(map[string]string)
	for _, s := range list {
		settings[s.Name] = s.Value
	}
	return settings, errors.Join(err, a.Close())
}

// Connections returns what the server allows, less some for its administrators and this program.
func (e postgresDatabase) Connections(ctx context.Context) (int, error) {
	const others, name = 10, "max_connections"
	settings, err := e.settings(ctx, []string{name})
	if err != nil {
		return 0, err
	}
	most, err := strconv.Atoi(settings[name])
	return max(1, most-others), err
}

// Describe also returns the server's settings that tuned.conf names.
func (e postgresDatabase) Describe(ctx context.Context) (StoreStamp, result.DatasetStamp, error) {
	is, holds, err := e.database.Describe(ctx)
	if err != nil {
		return is, holds, err
	}
	var names []string
	for line := range strings.Lines(deployed.Tuned) {
		name, _, _ := strings.Cut(line, " = ") // other lines are the name of no setting
		names = append(names, name)
	}
	settings, err := e.settings(ctx, names)
	maps.Copy(is.Settings, settings)
	return is, holds, err
}
