package drive

import (
	"context"

	"brokerage/internal/dataset"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// populating is a target whose users do not draw from what it holds.
type populating struct {
	Target

	dataset *dataset.Dataset
}

// Populating returns a target whose users work as if it held a dataset: they fill a database that has none.
func Populating(b Target, d *dataset.Dataset) Target { return populating{b, d} }

func (p populating) describe(ctx context.Context) (result.Target, *workload.Population, error) {
	target, there, err := p.Target.describe(ctx)
	if err != nil {
		return target, nil, err
	}
	whole, err := workload.PopulationOf(store.ContentsOf(p.dataset), tpox.EngineInfo{})
	if err != nil {
		return target, nil, err
	}
	whole.Store = there.Store
	return target, whole, nil
}
