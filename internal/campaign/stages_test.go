package campaign

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

func xxxs(t *testing.T) *dataset.Dataset {
	t.Helper()
	scale, err := dataset.ParseScale("XXXS")
	require.NoError(t, err)
	return dataset.New(dataset.Spec{Scale: scale, Seed: 1})
}

// feed reports a load in batches of one kind, as a store does.
func feed(w *world, watch *loadWatch, d *dataset.Dataset) {
	const batch = 2000
	for _, k := range dataset.Kinds {
		for watch.there[k] < d.Count(k) {
			w.pass(1)
			n := min(batch, d.Count(k)-watch.there[k])
			watch.add(n, 10*n)
		}
	}
}

func TestLoadWatch(t *testing.T) {
	w, d, load := newWorld(t), xxxs(t), &BulkLoad{}
	watch := &loadWatch{dataset: d, now: w.clock, load: load}
	watch.begin()
	feed(w, watch, d)
	require.Equal(t, int64(20833+5000+50000), load.Documents)
	require.Equal(t, 10*load.Documents, load.Bytes)
	there := make(map[string]int64)
	stages := make(map[string]int)
	for _, s := range load.Stages {
		require.Equal(t, there[s.Kind], s.Before)
		require.InDelta(t, float64(s.Documents)/s.Seconds, s.Rate, 1e-9)
		there[s.Kind] += s.Documents
		stages[s.Kind]++
	}
	// 5,000 customers are three batches: less than stages.
	require.Equal(t, map[string]int{"security": 4, "customer": 3, "order": 4}, stages)
	require.Equal(t, int64(50000), there["order"])
}

func TestStageEnd(t *testing.T) {
	for before, end := range map[int64]int64{0: 5208, 5207: 5208, 5208: 10416, 10416: 15624, 15624: 20833, 20833: 20833} {
		require.Equal(t, end, stageEnd(before, 20833), before)
	}
	require.Equal(t, int64(1), stageEnd(0, 1))
}

// Stages of inserts begin with the loaded data, which is not restored between them.
func TestStages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var held []string
	w.onRun = func(p Pressure) error {
		if p.Duration == w.settings().Stage {
			held = append(held, w.database("null:").backup)
			require.False(t, *p.Validate)
		}
		return nil
	}
	staged := stepOf(t, w.completed(func(*Campaign) {}), func(s Step) bool { return s.Kind == KindInserts })
	require.Len(t, held, 8)
	for i, g := range staged.Inserts {
		require.Equal(t, i/2+1, g.Stage)
		require.Equal(t, stageWorkloads[i%2], g.Workload)
		require.Equal(t, int64(1000), g.Total)
		require.InDelta(t, 10, g.Rate, 1e-9)
	}
}
