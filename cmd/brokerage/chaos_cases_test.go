package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/testenv"
)

var (
	both         = []string{"SQLite", "PostgreSQL"}
	onlyPostgres = []string{"PostgreSQL"}
)

var chaosCases = []chaosCase{
	{name: "KillService", fault: "the service is killed (SIGKILL), and started again", stores: both, run: killService},
	{
		name: "KillDatabase", fault: "the database server is killed (SIGKILL), and started again", stores: onlyPostgres,
		run: killDatabase,
	},
	{name: "DiskFull", fault: "the disk is full", stores: both, disk: "256m", run: diskFull},
	{name: "SlowDisk", fault: "each flush takes 200 ms longer", stores: both, run: slowDisk},
	{
		name:  "ServiceClock",
		fault: "the service's clock jumps 23 hours ahead and back, while it runs and while it is killed", stores: both,
		run: serviceClock,
	},
	{
		name: "DatabaseClock", fault: "the database server's clock jumps two days ahead, and four back", stores: onlyPostgres,
		clock: true, run: databaseClock,
	},
	{
		name: "NetworkCut", fault: "no connection to the database", stores: onlyPostgres,
		run: network(chaostest.Fault{Refuse: true}),
	},
	{
		name: "NetworkSilent", fault: "the network to the database drops everything without an error", stores: onlyPostgres,
		run: network(chaostest.Fault{Swallow: true}),
	},
	{
		name: "NetworkDelayed", fault: "the network to the database adds 100 ms in each direction", stores: onlyPostgres,
		run: network(chaostest.Fault{Delay: 100 * time.Millisecond}),
	},
	{
		name: "NetworkReset", fault: "connections to the database are reset repeatedly", stores: onlyPostgres,
		run: networkReset,
	},
	{
		name: "NoConnections", fault: "other clients hold all connections of the database", stores: onlyPostgres,
		settings: []string{"max_connections=25"}, run: noConnections,
	},
	{
		name: "SmallPool", fault: "a pool of two connections to the database", stores: onlyPostgres,
		traders: 48, run: smallPool,
	},
	{
		name: "SlowClients", fault: "clients that send a header a byte at a time, or half a body", stores: both,
		run: slowClients,
	},
	{name: "IdleClients", fault: "10,000 idle connections (1,000 in the short form)", stores: both, run: idleClients},
	{
		name: "LittleMemory", fault: "256 MB of memory, with bodies of 1 MiB among the load", stores: both, traders: 16,
		run: littleMemory,
	},
}

func killService(h *harness) {
	h.start()
	h.often(func() {
		h.service.killed(h.t)
		h.start()
	})
}

func killDatabase(h *harness) {
	h.start()
	h.often(func() {
		h.server.Kill(h.t)
		h.server.Again(h.t)
	})
}

func diskFull(h *harness) {
	if h.server == nil {
		file, err := os.ReadFile(filepath.Join(h.dir, "brokerage.db"))
		require.NoError(h.t, err)
		path := filepath.Join(h.disk, "brokerage.db")
		require.NoError(h.t, os.WriteFile(path, file, 0o600))
		h.db = "sqlite:" + path
	}
	h.start()
	h.often(func() {
		ballast := testenv.FillDisk(h.t, h.disk, 0)
		h.lasts()
		require.NoError(h.t, os.Remove(ballast))
		if h.server != nil && !h.server.Running(h.t) {
			h.server.Again(h.t) // without room for its journal it exits
		}
	})
	require.NotZero(h.t, h.load.Tally().Kinds["unavailable"])
}

// slowDisk delays each flush with a tracer. A slow disk would need a kernel device, which is not available everywhere.
func slowDisk(h *harness) {
	strace := testenv.Command(h.t, "strace")
	h.start()
	order := int64(0)
	h.often(func() {
		pid := h.service.cmd.Process.Pid
		if h.server != nil {
			pid = h.server.PID(h.t)
		}
		pids := processesOf(h.t, pid) // processes that these start are traced too
		tracer := exec.CommandContext(h.t.Context(), strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace=fsync,fdatasync",
			"-e", "inject=fsync,fdatasync:delay_enter=200000", "-p", strings.Join(pids, ","))
		require.NoError(h.t, tracer.Start())
		for _, pid := range pids {
			eventually(h.t, func() bool {
				text, err := os.ReadFile("/proc/" + pid + "/status")
				return os.IsNotExist(err) || err == nil && !strings.Contains(string(text), "TracerPid:\t0\n")
			}, "the tracer is at work")
		}
		order++
		began := time.Now()
		require.Equal(h.t, http.StatusCreated,
			postOnce(h.t, h.service.url+"/v1/orders", fmt.Sprint("slow-", order), newOrder(order)))
		require.GreaterOrEqual(h.t, time.Since(began), 200*time.Millisecond, "no write is answered before its flush")
		h.lasts()
		h.load.Await(h.t, 5) // the load continues
		require.NoError(h.t, tracer.Process.Signal(os.Interrupt))
		_ = tracer.Wait() // it was interrupted
	})
}

// processesOf returns the ids of a process and its children.
func processesOf(t testing.TB, parent int) []string {
	t.Helper()
	text := testenv.Text(t, fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	return append(strings.Fields(text), strconv.Itoa(parent))
}

func network(fault chaostest.Fault) func(*harness) {
	return func(h *harness) {
		h.args = []string{"--timeout", "800ms"} // so that clients get a response while the fault lasts
		h.start()
		h.often(func() {
			h.link.Set(fault)
			h.lasts()
			h.link.Set(chaostest.Fault{})
		})
	}
}

func networkReset(h *harness) {
	h.start()
	h.often(func() {
		for range 20 {
			h.link.Cut()
			time.Sleep(50 * time.Millisecond)
		}
	})
}

func noConnections(h *harness) {
	h.start()
	h.often(func() {
		h.link.Set(chaostest.Fault{Refuse: true}) // so that the connections of the service become free
		release := h.occupy()
		h.link.Set(chaostest.Fault{})
		h.lasts()
		release()
	})
}

func smallPool(h *harness) {
	h.args = []string{"--pool", "2", "--in-flight", "32", "--queue", "8", "--queue-wait", "50ms"}
	h.start()
	h.load.Await(h.t, map[bool]int64{true: 1000, false: 300}[h.full])
}

func slowClients(h *harness) {
	h.args = []string{"--header-timeout", "2s", "--read-timeout", "3s"}
	h.start()
	slow := newCrowd(h.t, h.service.url, map[bool]int{true: 400, false: 200}[h.full])
	slow.say("GET /v1/orders/103282 HTTP/1.1\r\nHost: localhost\r\nX: ",
		"POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/xml\r\nContent-Length: 1000\r\n\r\n<FIXML")
	h.lifted() // while the connections exist
	h.load.Await(h.t, 200)
	slow.requireEnded() // by the service
}

func idleClients(h *harness) {
	// Opening all connections, before the first request, may take long on a busy machine.
	h.args = []string{"--idle-timeout", "5m", "--header-timeout", "5m"}
	h.start()
	idle := newCrowd(h.t, h.service.url, map[bool]int{true: 10_000, false: 1000}[h.full])
	idle.ask() // one request on each, then none
	h.load.Await(h.t, 200)
	h.lifted()
	idle.ask() // all are still open
}
