package workload

import (
	"context"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// populating is a backend whose users do not draw from what it holds.
type populating struct {
	Backend

	dataset *dataset.Dataset
}

// Populating returns a backend whose users work as if it held a dataset: they fill a database that has none.
func Populating(b Backend, d *dataset.Dataset) Backend { return populating{b, d} }

func (p populating) describe(ctx context.Context) (Target, *population, error) {
	target, there, err := p.Backend.describe(ctx)
	if err != nil {
		return target, nil, err
	}
	whole, err := populationOf(store.ContentsOf(p.dataset), tpox.EngineInfo{})
	if err != nil {
		return target, nil, err
	}
	whole.Store = there.Store
	return target, whole, nil
}
