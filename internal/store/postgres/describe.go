package postgres

import (
	"slices"

	"brokerage/internal/brokerage"
)

// Describe returns the version and the settings of the server, as they were when the store was opened.
func (s *Store) Describe() brokerage.Engine {
	e := brokerage.Engine{
		Name: "postgres", Version: s.server.Version, Durability: brokerage.NotDurable,
		Settings: slices.Clone(s.server.Settings),
	}
	if s.server.Durable() {
		e.Durability = brokerage.Durable
	}
	return e
}
