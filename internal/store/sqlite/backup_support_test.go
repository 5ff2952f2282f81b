package sqlite

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// tinyDatabase is a file of its own with the dataset tiny, which is loaded once.
func tinyDatabase(t testing.TB) (path string) {
	t.Helper()
	b, err := tinyBytes()
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "tiny.db")
	require.NoError(t, os.WriteFile(path, b, 0o666))
	return path
}

var tinyBytes = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary folder
	path := filepath.Join(dir, "tiny.db")
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		return nil, err
	}
	scale, err := dataset.ParseScale("tiny")
	if err == nil {
		err = s.LoadDataset(context.Background(), dataset.New(dataset.Spec{Scale: scale, Seed: 1}), nil)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// tinyStore is an open store with the dataset tiny.
func tinyStore(t testing.TB) *Store {
	t.Helper()
	return opened(t, tinyDatabase(t), Options{})
}

// answers collects what was answered to clients that write all the time.
type answers struct {
	mu     sync.Mutex
	more   *sync.Cond
	orders []int64
	trades map[int64]int // by account
}

func newAnswers() *answers {
	a := &answers{trades: make(map[int64]int)}
	a.more = sync.NewCond(&a.mu)
	return a
}

func (a *answers) add(what string, id int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if what == "order" {
		a.orders = append(a.orders, id)
	} else {
		a.trades[id]++
	}
	a.more.Broadcast()
}

// wait waits for n more orders, and returns what was answered until then.
func (a *answers) wait(n int) (orders []int64, trades map[int64]int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n += len(a.orders); len(a.orders) < n; {
		a.more.Wait()
	}
	return slices.Clone(a.orders), maps.Clone(a.trades)
}

// startVictim starts a process that writes until it is killed.
func startVictim(t testing.TB, path string) (*exec.Cmd, *answers) {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), os.Args[0])
	cmd.Env = append(os.Environ(), victimOf+"="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	a := newAnswers()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var what string
			var id int64
			if _, err := fmt.Sscan(lines.Text(), &what, &id); err == nil {
				a.add(what, id)
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have been already
		<-ended
		_ = cmd.Wait() // killed
	})
	return cmd, a
}

func emptyAt(t testing.TB, path string) {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

func execute(t testing.TB, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", uri(path, url.Values{}))
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func entries(t testing.TB, dir string) []string {
	t.Helper()
	found, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := []string{}
	for _, entry := range found {
		all = append(all, entry.Name())
	}
	return all
}
