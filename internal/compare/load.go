package compare

import (
	"context"
	"time"

	"brokerage/internal/drive"
	"brokerage/internal/result"
	"brokerage/internal/workload"
)

// load is the load generator, as much of it as a comparison needs.
type load interface {
	// Slice runs all users for a time. They draw what the seed gives, and wait for the answers of what they have begun.
	Slice(ctx context.Context, seed uint64, rate float64, length time.Duration) (drive.Sliced, error)
	// Mix returns the transactions; records have its indexes.
	Mix() []workload.Mixed
	// CPUSeconds returns what the metrics of a service say; false if they do not.
	CPUSeconds(ctx context.Context) (float64, bool)
	Close()
}

// gather connects the users of a side, and returns a description of its target too.
func gather(ctx context.Context, target drive.Target, c *Config) (load, *result.Run, error) {
	crew, err := drive.Gather(ctx, drive.Plan{
		Definition: c.Definition, Users: c.Users, Rate: c.Rate, Seed: c.Seed, Duration: c.Within,
	}, target)
	if err != nil {
		return nil, nil, err
	}
	return crew, crew.Run, nil
}
