package main

import (
	"context"

	"brokerage/internal/service"
)

// serveCmd has the settings of a service as flags, each of which is a variable and a line of --config too: see
// environment.
//
//nolint:lll // a help text is one string
type serveCmd struct {
	Config   configFile     `placeholder:"FILE" help:"YAML file with one flag name and value a line. Flags override environment variables (BROKERAGE_…), which override the file. Default: none."`
	Port     portFlag       `hidden:""`
	Settings service.Config `embed:""`
}

// Run serves until ctx is done.
func (c *serveCmd) Run(ctx context.Context, s streams) error {
	return service.Run(ctx, c.Settings,
		service.Process{
			Out: s.out, Err: s.err, Terminal: isTerminal(s.err), Build: buildInfo(), Config: string(c.Config),
		})
}
