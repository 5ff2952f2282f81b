package campaign

import (
	"context"
	"errors"
	"fmt"

	"brokerage/internal/dataset"
)

// populationStages is the number of stages of each kind of documents.
const populationStages = 4

// populate lets users fill a database that has only securities: they insert as many customers and orders as the dataset
// has, with one commit each, in stages. There is no transaction that inserts a security, so these are loaded. The
// database is empty afterwards.
func (r *running) populate(ctx context.Context, s *Step) error {
	s.Inserts, r.intact = nil, false // an interrupted population begins again
	e := r.Subject
	if err := e.Create(ctx); err != nil {
		return err
	}
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
		all := r.dataset.Count(insertedKind(of.Workload))
		for n := range int64(populationStages) {
			r.Progress.within(float64(int64(i*populationStages)+n) / float64(len(r.Settings.Population)*populationStages))
			before, end := n*all/populationStages, (n+1)*all/populationStages
			if end == before {
				continue
			}
			of.Documents = end - before
			g, err := r.populateStage(ctx, of, int(n)+1)
			if g != nil {
				g.Before = before
				s.Inserts = append(s.Inserts, *g)
			}
			if err != nil {
				return fmt.Errorf("stage %d, %s: %w", n+1, of.Workload, err)
			}
		}
	}
	return e.Create(ctx)
}

// populateStage inserts a part of the documents of a kind, and measures the size of the database after it. The users
// are at most as many as the documents.
func (r *running) populateStage(ctx context.Context, of Load, n int) (*Growth, error) {
	users := int(min(int64(of.Users), of.Documents))
	plan := &RunPlan{Workload: of.Workload, Users: users, Documents: of.Documents, Validate: new(false),
		Connections: r.Settings.connections(users, r.connections)}
	p, err := r.load(plan)
	if err != nil {
		return nil, err
	}
	p.Ramp, p.Seed, p.Populates = 0, p.Seed+uint64(n), r.dataset
	run, err := r.run(ctx, plan, p)
	if run == nil {
		return nil, err
	}
	g := &Growth{Stage: n, Workload: of.Workload, Documents: run.Total.Good, Rate: run.Goodput, Run: *run}
	if err != nil {
		return g, err
	}
	space, err := r.Subject.Space(ctx)
	g.Total = space.Total
	if err == nil && g.Documents < of.Documents {
		err = errors.New("not all documents were inserted")
	}
	return g, err
}

func insertedKind(workload string) dataset.Kind {
	if workload == insertOrders {
		return dataset.Order
	}
	return dataset.Customer
}
