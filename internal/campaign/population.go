package campaign

import (
	"context"
	"errors"
	"fmt"

	"brokerage/internal/dataset"
)

// populate lets users fill a database that has only securities: they insert as many customers and orders as the dataset
// has, with one commit each, in stages. There is no transaction that inserts a security, so these are loaded. The
// database is empty afterwards.
func (r *running) populate(ctx context.Context, e Subject, s *Step) error {
	s.Inserts = nil // an interrupted population begins again
	if err := e.Create(ctx); err != nil {
		return err
	}
	r.intact[e.URL()] = false
	spec := r.dataset.Spec()
	none, err := dataset.ScaleOf(0, 0)
	if err != nil {
		return err
	}
	spec.Scale = none
	if err := e.Load(ctx, dataset.New(spec), func(int, int64) {}); err != nil {
		return err
	}
	for i, of := range r.Settings.Population {
		k := insertedKind(of.Workload)
		before := int64(0)
		for n := 1; n <= loadStages && before < r.dataset.Count(k); n++ {
			r.Progress.Within(float64(i*loadStages+n-1) / float64(len(r.Settings.Population)*loadStages))
			end := stageEnd(before, r.dataset.Count(k))
			of.Documents = end - before
			g, err := r.populateStage(ctx, e, of, n)
			if g != nil {
				g.Before = before
				s.Inserts = append(s.Inserts, *g)
			}
			if err != nil {
				return fmt.Errorf("stage %d, %s: %w", n, of.Workload, err)
			}
			before = end
		}
	}
	return e.Create(ctx)
}

// populateStage inserts a part of the documents of a kind, and measures the size of the database after it. The users
// are at most as many as the documents.
func (r *running) populateStage(ctx context.Context, e Subject, of Insertion, n int) (*Growth, error) {
	run, err := r.run(ctx, e, nil, Pressure{
		Workload: of.Workload, Validate: new(false), Users: int(min(int64(of.Users), of.Documents)), Documents: of.Documents,
		Think: r.Settings.Think, Seed: r.Settings.Seed + uint64(n), Populates: r.dataset,
	})
	if run == nil {
		return nil, err
	}
	g := &Growth{Stage: n, Workload: of.Workload, Documents: run.Total.Good, Rate: run.Goodput, Run: *run}
	if err != nil {
		return g, err
	}
	space, err := e.Space(ctx)
	g.Total = space.Total
	if err == nil && g.Documents < of.Documents {
		err = errors.New("not all documents were inserted")
	}
	return g, err
}
