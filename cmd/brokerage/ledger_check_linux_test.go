package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

// A breakage is what BenchmarkLedger does to a database under load.
type breakage struct {
	store, fault string
	times        int
	query        string   // of SQLite's URL
	settings     []string // of PostgreSQL
	durable      bool     // nothing may be lost
}

// BenchmarkLedger kills the embedded store and PostgreSQL, cuts the power of their disks, and prints how many
// acknowledged changes each lost. `make ledger-check` runs it.
func BenchmarkLedger(b *testing.B) {
	kills, err := strconv.Atoi(os.Getenv("BROKERAGE_LEDGER_CHECK"))
	if err != nil {
		b.Skip("needs BROKERAGE_LEDGER_CHECK, which make sets")
	}
	few := max(1, kills/20)
	fmt.Print("\n| store | fault | times | acknowledged | lost | twice | unknown (applied) | " +
		"longest from break to answer |\n|---|---|---|---|---|---|---|---|\n")
	for _, c := range []breakage{
		{store: "SQLite", fault: "kill -9 of the service", times: kills, durable: true},
		{store: "PostgreSQL", fault: "kill -9 of the server", times: max(1, kills/5), settings: durable, durable: true},
		{store: "SQLite", fault: "power cut", times: few, durable: true},
		{store: "SQLite, synchronous=normal", fault: "power cut", times: few, query: "?synchronous=normal"},
		{store: "SQLite, synchronous=off", fault: "power cut", times: few, query: "?synchronous=off"},
		{store: "PostgreSQL", fault: "power cut", times: few, settings: durable, durable: true},
		{store: "PostgreSQL, synchronous_commit=off", fault: "power cut", times: few,
			settings: []string{"fsync=on", "full_page_writes=on", "synchronous_commit=off"}},
		{store: "PostgreSQL, fsync=off", fault: "power cut", times: few,
			settings: []string{"fsync=off", "full_page_writes=on", "synchronous_commit=on"}},
	} {
		var times, acknowledged, lost, twice, unknown, applied int
		slowest := 0.0
		for i := range c.times {
			b.Run(fmt.Sprintf("%s %s %d", c.store, c.fault, i+1), func(b *testing.B) {
				counts, again := c.run(b, rand.New(rand.NewPCG(uint64(i), 33)))
				times++
				acknowledged, lost, twice = acknowledged+counts[0], lost+counts[1], twice+counts[2]
				unknown, applied, slowest = unknown+counts[3], applied+counts[4], max(slowest, again)
				if c.durable {
					require.Zero(b, counts[1]+counts[2], "lost or counted twice")
				}
			})
		}
		fmt.Printf("| %s | %s | %d | %d | %d | %d | %d (%d) | %.1f s |\n", c.store, c.fault, times, acknowledged,
			lost, twice, unknown, applied, slowest)
	}
}

// run drives a service with a ledger, breaks the database at a random moment, and returns what `verify` counts, and
// after how many seconds the service answered again.
func (c *breakage) run(b *testing.B, random *rand.Rand) (counts [5]int, again float64) {
	var disk *powerDisk
	root := ""
	if c.fault == "power cut" {
		disk = newPowerDisk(b)
		root = disk.dir
	}
	var server *pgtest.Server
	var db string
	switch {
	case len(c.settings) > 0:
		server = pgtest.StartIn(b, root, nil, c.settings...)
		db = server.URL("postgres")
		succeeds(b, "load", "--db", db)
	case disk != nil:
		require.NoError(b, os.CopyFS(root, os.DirFS(tinyDB(b))))
		db = "sqlite:" + filepath.Join(root, "brokerage.db") + c.query
	default:
		db = "sqlite:" + filepath.Join(tinyDB(b), "brokerage.db")
	}
	serve := []string{"--db", db}
	if c.query != "" {
		serve = append(serve, "--not-durable")
	}
	service := serving(b, "", serve...)
	if disk != nil {
		disk.flush(b)
	}
	dir := b.TempDir()
	ledger, signal, file := filepath.Join(dir, "ledger"), filepath.Join(dir, "signal"), filepath.Join(dir, "run.json")
	ctx, enough := context.WithCancel(b.Context())
	defer enough()
	driven := make(chan exited, 1)
	go func() {
		driven <- brokerage(ctx, "drive", "--url", service.url, "--users", "8", "--ramp", "0s", "--duration", "10m",
			"--ledger", ledger, "--break", "touch "+signal, "--json", file,
			"--at", fmt.Sprintf("%dms", 1000+random.IntN(1000)))
	}()
	eventually(b, func() bool { _, err := os.Stat(signal); return err == nil }, "the moment")
	pid := 0
	if server != nil {
		pid = server.PID(b) // from a file on the disk, so before the cut
	}
	if disk != nil {
		disk.cut(b)
	}
	if server == nil || disk != nil {
		service.killed(b)
	}
	if server != nil {
		kill := append([]string{"-9"}, processesOf(b, pid)...)
		_ = exec.CommandContext(b.Context(), "kill", kill...).Run() // some may have noticed the cut, and ended
	}
	if disk != nil {
		disk.restore(b)
	}
	if server != nil {
		server.Again(b)
	}
	if server == nil || disk != nil {
		service = serving(b, "", append(serve, "--listen", strings.TrimPrefix(service.url, "http://"))...)
	}
	recorded := len(testenv.Text(b, ledger))
	eventually(b, func() bool { return len(testenv.Text(b, ledger)) > recorded+20_000 }, "changes after the fault")
	enough()
	r := <-driven
	require.Equal(b, exitEnded, r.code, r.out+r.err)
	service.stop(b)
	return verified(b, db, ledger), readRun(b, file).Break.Again
}

// verified returns what `verify` counts: acknowledged, lost, twice, unknown, applied.
func verified(b *testing.B, db, ledger string) (counts [5]int) {
	b.Helper()
	r := brokerage(b.Context(), "verify", "--db", db, "--ledger", ledger)
	require.Contains(b, r.out, "acknowledged ", r.err)
	last := r.out[strings.LastIndex(r.out, "acknowledged "):]
	const form = "acknowledged %d lost %d applied twice %d unknown %d (applied %d)"
	_, err := fmt.Sscanf(strings.ReplaceAll(last, ",", ""), form, &counts[0], &counts[1], &counts[2],
		&counts[3], &counts[4])
	require.NoError(b, err, r.out+r.err)
	require.Equal(b, counts[1]+counts[2] > 0, r.code == exitInvalid, r.out+r.err)
	return counts
}

// A powerDisk is a file system whose power can be cut: what was not flushed to it is lost then.
type powerDisk struct{ image, dir string }

// newPowerDisk mounts a new disk. It needs root.
func newPowerDisk(b *testing.B) *powerDisk {
	b.Helper()
	dir, err := os.MkdirTemp("/tmp", "") //nolint:usetesting // a short name: PostgreSQL has its socket there
	require.NoError(b, err)
	d := &powerDisk{filepath.Join(b.TempDir(), "image"), dir}
	require.NoError(b, os.WriteFile(d.image, nil, 0o600))
	require.NoError(b, os.Truncate(d.image, 1<<30))
	d.command(b, "mkfs.ext4", "-q", d.image)
	d.command(b, "mount", "-o", "loop", d.image, d.dir)
	require.NoError(b, os.Chmod(d.dir, 0o777)) //nolint:gosec // the server of another user has its folder there
	b.Cleanup(func() {
		d.unmount(b)
		require.NoError(b, os.Remove(d.dir))
	})
	return d
}

func (d *powerDisk) command(b *testing.B, name string, args ...string) {
	b.Helper()
	out, err := exec.CommandContext(b.Context(), name, args...).CombinedOutput()
	require.NoError(b, err, "%s", out)
}

// on calls do with a file descriptor of the disk's file system.
func (d *powerDisk) on(b *testing.B, do func(fd int) error) {
	b.Helper()
	f, err := os.Open(d.dir)
	require.NoError(b, err)
	defer func() { _ = f.Close() }() // nothing is written
	require.NoError(b, do(int(f.Fd())))
}

// flush makes what has been written to the disk survive a cut.
func (d *powerDisk) flush(b *testing.B) { b.Helper(); d.on(b, unix.Syncfs) }

// cut calls EXT4_IOC_SHUTDOWN: from now on nothing reaches the disk, not even the log of the file system.
func (d *powerDisk) cut(b *testing.B) {
	b.Helper()
	d.on(b, func(fd int) error { return unix.IoctlSetPointerInt(fd, 0x8004587d, 2) })
}

// unmount unmounts the disk when no process uses it any more.
func (d *powerDisk) unmount(b *testing.B) {
	b.Helper()
	ctx := context.WithoutCancel(b.Context())
	eventually(b, func() bool { return exec.CommandContext(ctx, "umount", d.dir).Run() == nil }, "umount %s", d.dir)
}

// restore mounts the disk again, with what was flushed to it.
func (d *powerDisk) restore(b *testing.B) {
	b.Helper()
	d.unmount(b)
	d.command(b, "mount", "-o", "loop", d.image, d.dir)
}
