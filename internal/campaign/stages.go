package campaign

import (
	"context"
	"fmt"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/result"
)

// loadStages is the number of stages of the load of a kind.
const loadStages = 4

// loadWatch divides a bulk load into stages. The first one includes what a store does before the first document.
type loadWatch struct {
	dataset *dataset.Dataset
	now     func() time.Time
	load    *BulkLoad

	there [len(dataset.Kinds)]int64
	stage LoadStage
	began time.Time
}

// kind returns the kind that is being loaded; kinds are loaded one after another.
func (w *loadWatch) kind() (dataset.Kind, bool) {
	for _, k := range dataset.Kinds {
		if w.there[k] < w.dataset.Count(k) {
			return k, true
		}
	}
	return 0, false
}

// share returns the share of the documents that has been loaded, from 0 to 1.
func (w *loadWatch) share() float64 {
	there, all := int64(0), int64(0)
	for _, k := range dataset.Kinds {
		there, all = there+w.there[k], all+w.dataset.Count(k)
	}
	return float64(there) / float64(all)
}

func (w *loadWatch) begin() {
	w.began, w.stage = w.now(), LoadStage{}
	if k, more := w.kind(); more {
		w.stage.Kind, w.stage.Before = k.String(), w.there[k]
	}
}

func (w *loadWatch) add(documents, bytes int64) {
	k, more := w.kind()
	if !more {
		return
	}
	w.there[k] += documents
	w.stage.Documents += documents
	w.stage.Bytes += bytes
	if w.there[k] < stageEnd(w.stage.Before, w.dataset.Count(k)) {
		return
	}
	w.stage.Seconds = w.now().Sub(w.began).Seconds()
	w.stage.Rate = float64(w.stage.Documents) / max(w.stage.Seconds, 1e-3)
	w.load.Stages = append(w.load.Stages, w.stage)
	w.load.Documents += w.stage.Documents
	w.load.Bytes += w.stage.Bytes
	w.begin()
}

// stageEnd returns the number of documents, out of count, at the end of the stage that begins after the first before
// documents.
func stageEnd(before, count int64) int64 {
	for part := range int64(loadStages) {
		if end := (part + 1) * count / loadStages; end > before {
			return end
		}
	}
	return count
}

// stageWorkloads are the workloads of each stage of inserts.
var stageWorkloads = []string{insertOrders, insertCustomers}

// stageWarmUp returns the warm-up of a stage, in seconds. It is short, since there is nothing to prepare, and the
// database grows by its inserts too.
func stageWarmUp(stage float64) float64 { return min(2, stage/4) }

// stages runs stages of inserts without restoring the database between them, and measures its size after each stage.
func (r *running) stages(ctx context.Context, e Subject, s *Step) error {
	s.Inserts = nil // each stage continues the one before
	if err := r.restore(ctx, e); err != nil {
		return err
	}
	space, err := e.Space(ctx)
	if err != nil {
		return err
	}
	for n := 1; n <= r.Settings.Stages; n++ {
		r.Progress.Within(float64(n-1) / float64(r.Settings.Stages))
		first := len(s.Inserts)
		if err := r.stage(ctx, e, s, n); err != nil {
			return err
		}
		after, err := e.Space(ctx)
		if err != nil {
			return err
		}
		for i := range s.Inserts[first:] {
			g := &s.Inserts[first+i]
			k := insertedKind(g.Workload)
			g.Before, g.Documents = space.documents(k), after.documents(k)-space.documents(k)
			g.Total = after.Total
		}
		space = after
	}
	return nil
}

// stage runs each kind of inserts once, against one service. Customers are not validated, as in the papers.
func (r *running) stage(ctx context.Context, e Subject, s *Step, n int) error {
	settings, err := r.storeSettings(ctx, e, s.Variant)
	if err != nil {
		return err
	}
	service, err := r.Start(ctx, r.serviceSettings(e, s.Variant))
	if err != nil {
		return err
	}
	for _, w := range stageWorkloads {
		var run *result.Run
		run, err = r.drive(ctx, e, service, Pressure{
			Workload: w, Validate: new(false), Users: r.Settings.Reference, WarmUp: stageWarmUp(r.Settings.Stage),
			Duration: r.Settings.Stage, Think: r.Settings.Think, Seed: r.Settings.Seed + uint64(n), Settings: settings,
		})
		if run != nil {
			s.Inserts = append(s.Inserts, Growth{Stage: n, Workload: w, Rate: run.Goodput, Run: *run})
		}
		if err != nil {
			err = fmt.Errorf("stage %d, %s: %w", n, w, err)
			break
		}
	}
	return ended(service, err)
}

func insertedKind(workload string) dataset.Kind {
	if workload == insertOrders {
		return dataset.Order
	}
	return dataset.Customer
}

func (s Space) documents(k dataset.Kind) int64 {
	for _, kind := range s.Kinds {
		if kind.Kind == k.String() {
			return kind.Documents
		}
	}
	return 0
}
