package postgres

import "brokerage/internal/brokerage"

// Describe returns the version and the settings of the server, as they were when the store was opened.
func (s *Store) Describe() brokerage.Engine {
	e := brokerage.Engine{Name: "postgres", Version: s.server.Version, Durability: brokerage.NotDurable}
	if s.server.Durable() {
		e.Durability = brokerage.Durable
	}
	for _, setting := range s.server.Settings {
		e.Settings = append(e.Settings, brokerage.Setting(setting))
	}
	return e
}
