package postgres

import "brokerage/internal/brokerage"

// Describe says what the store runs on; the settings are the server's, read when
// the store was opened.
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
