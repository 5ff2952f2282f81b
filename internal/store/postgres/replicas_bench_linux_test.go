package postgres

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/tpox"
)

// replicaRounds is how often each number of replicas is measured, one after another.
const replicaRounds = 3

// BenchmarkReplicas prints how many reads a second there are with 0, 1 and 2 replicas, when each server has a fifth of
// a processor: `make bench-replicas`. Eight clients send no header, and eight more for each replica accept old answers.
func BenchmarkReplicas(b *testing.B) {
	each, err := time.ParseDuration(os.Getenv("BROKERAGE_BENCH_REPLICAS"))
	if err != nil {
		b.Skip("only when BROKERAGE_BENCH_REPLICAS says how long each run takes: 10s")
	}
	c := newCluster(b)
	for _, server := range append([]*pgtest.Server{c.primary}, c.standbys...) {
		server.Group(b).Limit(b, 0.2)
	}
	stores := []*replicated{c.replicate(b, patient, 0), c.replicate(b, patient, 1), c.replicate(b, patient, 2)}
	for _, r := range stores {
		r.read(each / 2) // a warm-up
	}
	var rates [3][]float64
	for range replicaRounds {
		for replicas, r := range stores {
			before := r.answered()
			busy := r.read(each)
			now := r.answered()
			line := fmt.Sprintf("%d replicas: %8.0f reads/s;", replicas, busy)
			for i := range now {
				line += fmt.Sprintf(" %.0f", float64(now[i]-before[i])/each.Seconds())
			}
			fmt.Println(line)
			rates[replicas] = append(rates[replicas], busy)
		}
	}
	for replicas, rate := range rates {
		slices.Sort(rate)
		fmt.Printf("median with %d replicas: %.0f reads/s, %.2f times that without\n", replicas, rate[replicaRounds/2],
			rate[replicaRounds/2]/rates[0][replicaRounds/2])
	}
}

// answered returns the reads of the primary and of each replica so far.
func (r *replicated) answered() []int64 {
	if r.replicas == nil {
		return nil
	}
	all := []int64{r.replicas.primaryReads.Load()}
	for i := range r.replicas.all {
		all = append(all, r.readsOf(i))
	}
	return all
}

// read has clients read for a time, eight of the primary and eight of each replica, and returns the reads a second.
func (r *replicated) read(each time.Duration) float64 {
	servers := 1
	if r.replicas != nil {
		servers += len(r.replicas.all)
	}
	ctx, cancel := context.WithTimeout(context.Background(), each)
	defer cancel()
	var done atomic.Int64
	var clients sync.WaitGroup
	for n := range 8 * servers {
		asking := ctx
		if n >= 8 {
			asking = within(ctx, time.Hour)
		}
		clients.Go(func() {
			for i := int64(n); ctx.Err() == nil; i += 17 {
				if r.query(asking, i) == nil {
					done.Add(1)
				}
			}
		})
	}
	clients.Wait()
	return float64(done.Load()) / each.Seconds()
}

// query runs one of the seven queries.
func (r *replicated) query(ctx context.Context, i int64) error {
	order, symbol := orderID(r.d, i%r.d.Count(dataset.Order)), r.d.Symbol(int(i%r.d.Count(dataset.Security)))
	customer := tpox.ID(r.d.ID(dataset.Customer, i%r.d.Count(dataset.Customer)))
	switch i % 7 {
	case 0:
		return errOf(r.GetOrder(ctx, order))
	case 1:
		return errOf(r.GetSecurity(ctx, symbol))
	case 2:
		return errOf(r.SecurityPrice(ctx, symbol))
	case 3:
		return errOf(r.CustomerProfile(ctx, customer))
	case 4:
		return errOf(r.AccountSummary(ctx, customer))
	case 5:
		return errOf(r.CustomerMaxOrder(ctx, customer))
	default:
		return errOf(r.SearchSecurities(ctx, tpox.Search{Sector: "Energy", PEMax: 300000}))
	}
}
