package campaign

import (
	"context"

	"brokerage/internal/brokerage"
	"brokerage/internal/store"
	"brokerage/internal/store/sqlite"
)

// described is what a store says of itself.
func described(url, validation string, is brokerage.Engine) Store {
	s := Store{
		Engine: is.Name, Version: is.Version, URL: url, Durability: is.Durability, Validation: validation,
		Settings: make(map[string]string, len(is.Settings)),
	}
	for _, setting := range is.Settings {
		s.Settings[setting.Name] = setting.Value
	}
	return s
}

// Describe asks the database, which no service has open.
func (e sqliteEngine) Describe(ctx context.Context) (s Store, err error) {
	opened, err := sqlite.Open(ctx, e.path, sqlite.Options{Uncompressed: e.uncompressed, AsIs: true})
	if err != nil {
		return s, err
	}
	// A result is published, and whose folder it was is nobody's business.
	return described(store.Published(e.URL()), "by the project's schemas, in the service", opened.Describe()), opened.Close()
}
