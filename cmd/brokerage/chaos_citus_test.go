package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/result"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/workload"
)

var onlyCitus = []string{"Citus"}

// clusterCases run on a coordinator, which is node 0, and two workers.
var clusterCases = []chaosCase{
	{
		name: "KillEntry", fault: "a worker that is one of two entries is killed, and started again", stores: onlyCitus,
		entries: []int{1, 2}, run: killNode(2),
	},
	{
		name: "KillWorker", fault: "a worker that is no entry is killed, and started again", stores: onlyCitus,
		entries: []int{1}, run: killNode(2),
	},
	{
		name: "KillCoordinator", fault: "the coordinator is killed, and started again; it is no entry, and no request fails",
		stores: onlyCitus, entries: []int{1, 2}, run: killCoordinator,
	},
	{
		name: "KillPrepared", fault: "a worker is killed between PREPARE and COMMIT PREPARED, and started again",
		stores: onlyCitus, entries: []int{1}, behind: 2, run: killPrepared,
	},
	{
		name: "AddWorker", fault: "a third worker is added, and shards are moved to it; no request fails",
		stores: onlyCitus, entries: []int{1, 2}, run: addWorker,
	},
}

// openCluster starts a cluster and loads a database.
func (h *harness) openCluster(c chaosCase, settings []string) {
	h.t.Helper()
	h.cluster = pgtest.StartCluster(h.t, 2, settings...)
	if c.behind > 0 {
		h.link = chaostest.NewSocketProxy(h.t, h.cluster.Nodes[c.behind].Socket())
		h.cluster.Hosts[c.behind] = h.link.Folder()
	}
	h.database = h.cluster.Database(h.t)
	succeeds(h.t, "load", "--db", h.cluster.URL(h.database, 0)+"&distribute=4")
	h.db = h.cluster.URL(h.database, c.entries...)
}

func (h *harness) again(node int) {
	h.t.Helper()
	h.cluster.Nodes[node].Again(h.t)
	h.returned = time.Now()
}

func killNode(n int) func(*harness) {
	return func(h *harness) {
		h.start()
		h.often(func() {
			h.cluster.Nodes[n].Kill(h.t)
			h.lasts()
			h.again(n)
		})
	}
}

func killCoordinator(h *harness) {
	h.start()
	h.withoutFailure(func() {
		h.often(func() {
			h.cluster.Nodes[0].Kill(h.t)
			h.lasts()
			h.load.Await(h.t, 50)
			h.again(0)
		})
	})
}

// killPrepared kills a worker that has prepared its part of an order, when the other worker is about to tell it to
// commit. The order is acknowledged, and a read does not find it until Citus has recovered the commit.
func killPrepared(h *harness) {
	h.start()
	d := dataset.New(dataset.Spec{Seed: 1})
	worker := h.cluster.Nodes[2]
	account := int64(0)
	for c := int64(h.traders); account == 0; c++ { // finds an account on the other worker
		if first := d.FirstAccount(c); h.cluster.NodeOf(h.t, h.database, "brokerage.account_orders", first) == 1 {
			account = first
		}
	}
	var invisible time.Duration
	id := int64(800_000_000_000)
	h.often(func() {
		for id++; h.cluster.NodeOf(h.t, h.database, "brokerage.orders", id) != 2; {
			id++
		}
		h.link.SetTrap(&chaostest.Trap{
			Texts:  []string{fmt.Sprint(id), "COMMIT PREPARED"},
			Before: func() { h.link.Set(chaostest.Fault{Refuse: true}) }, // so that the text does not arrive
		})
		order := string(d.AppendNewOrder(nil, id, dataset.NewOrder{ID: id, Account: account, Time: time.Now()}))
		require.Equal(h.t, http.StatusCreated, send(h.t, http.MethodPost, h.service.url+"/v1/orders", "", order).status)
		require.True(h.t, h.link.Sprung())
		worker.Kill(h.t)
		h.lasts()
		h.again(2)
		worker.Await(h.t, "SELECT EXISTS (SELECT FROM pg_prepared_xacts)")
		h.link.Set(chaostest.Fault{})
		h.returned = time.Now() // now the other nodes reach it, too
		eventually(h.t, func() bool {
			return get(h.t, fmt.Sprint(h.service.url, "/v1/orders/", id)).status == http.StatusOK
		}, "order %d", id)
		invisible = max(invisible, time.Since(h.returned))
	})
	h.t.Logf("an acknowledged order was found %.2f s after its node was back, at most", invisible.Seconds())
}

func addWorker(h *harness) {
	h.start()
	h.withoutFailure(func() {
		h.cluster.Grow(h.t, h.database)
		for _, statement := range []string{
			"SELECT citus_rebalance_start(shard_transfer_mode := 'force_logical')", "SELECT citus_rebalance_wait()",
			"CALL citus_cleanup_orphaned_resources()", // drops the old copies of moved shards, which otherwise happens later
		} {
			h.cluster.Nodes[0].Exec(h.t, h.database, statement)
		}
		h.returned = time.Now()
		h.lifted()
		h.load.Await(h.t, 50)
	})
	moved := h.cluster.Shards(h.t, h.database, 3)
	require.NotZero(h.t, moved)
	h.t.Logf("%d shards moved", moved)
}

// withoutFailure calls a function, and requires that no request of the traders or of drive.Run with the mixed workload
// fails meanwhile. That workload is run without trades, which would change what the traders hold.
func (h *harness) withoutFailure(during func()) {
	h.t.Helper()
	definition, err := workload.Load("mixed")
	require.NoError(h.t, err)
	definition.Mix = slices.DeleteFunc(definition.Mix, func(p result.Part) bool {
		return slices.Contains([]string{"buy_security", "sell_security"}, p.Transaction)
	})
	target, err := drive.NewHTTP(h.service.url, "", nil)
	require.NoError(h.t, err)
	ctx, cancel := context.WithCancel(h.t.Context())
	defer cancel()
	measuring, ended := make(chan struct{}), make(chan struct{})
	measured := sync.OnceFunc(func() { close(measuring) })
	var run *result.Run
	go func() {
		defer close(ended)
		run, err = drive.Run(ctx, drive.Plan{
			Definition: definition, Users: 4, Duration: time.Hour, Seed: 1,
			Every: time.Second, Report: func(result.Interval) { measured() },
		}, target)
	}()
	select {
	case <-measuring:
		during()
	case <-ended:
	}
	cancel()
	<-ended
	require.ErrorIs(h.t, err, drive.ErrInterrupted)
	require.NotZero(h.t, run.Total.Good)
	require.Empty(h.t, run.Total.Unexpected)
	require.Empty(h.t, run.Prepared.Unexpected)
	require.Empty(h.t, h.load.Tally().Kinds)
	h.t.Logf("drive: %d transactions, the longest took %.2f s", run.Total.Count, run.Total.Latency.Max/1e6)
}
