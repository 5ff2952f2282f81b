package sqlite

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// tiny is the dataset of nearly all tests.
var tiny = scaled("tiny")

// scaled returns a dataset, and panics when there is no such scale.
func scaled(scale string) *dataset.Dataset {
	s, err := dataset.ParseScale(scale)
	if err != nil {
		panic(err)
	}
	return dataset.New(dataset.Spec{Scale: s, Seed: 1})
}

func opened(t testing.TB, path string, options store.Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), path, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func empty(t testing.TB) *Store {
	t.Helper()
	return opened(t, filepath.Join(t.TempDir(), "brokerage.db"), store.Options{})
}

// trainedAt returns a store at path without documents, and with the dictionaries of the dataset tiny: training them
// takes long.
func trainedAt(t testing.TB, path string) *Store {
	t.Helper()
	emptyAt(t, path)
	execute(t, path, "ATTACH '"+tinyDatabase(t)+"' AS tiny; INSERT INTO dictionaries SELECT * FROM tiny.dictionaries")
	return opened(t, path, store.Options{})
}

// tinyDatabase returns a new file with the dataset tiny, which is loaded only once.
func tinyDatabase(t testing.TB) (path string) {
	t.Helper()
	b, err := tinyBytes()
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "tiny.db")
	writeFile(t, path, b)
	return path
}

var tinyBytes = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary folder
	path := filepath.Join(dir, "tiny.db")
	s, err := Open(context.Background(), path, store.Options{})
	if err != nil {
		return nil, err
	}
	err = s.LoadDataset(context.Background(), tiny, nil)
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// tinyStore returns an open store with the dataset tiny.
func tinyStore(t testing.TB) *Store {
	t.Helper()
	return opened(t, tinyDatabase(t), store.Options{})
}

func now() tpox.Write { return tpox.Write{Now: time.Now()} }

// order returns a new order with an id that the test chooses.
func order(id int64) []byte { return tiny.AppendNewOrder(nil, id, dataset.NewOrder{ID: id}) }

// errOf returns the error of a call that also returns a value.
func errOf[A any](_ A, err error) error { return err }

// insert stores the order with an id.
func insert(t testing.TB, s *Store, id int64) {
	t.Helper()
	require.NoError(t, errOf(s.InsertOrder(t.Context(), now(), order(id))))
}

// requireOrder requires the order that insert has stored.
func requireOrder(t testing.TB, s *Store, id int64) {
	t.Helper()
	got, err := s.GetOrder(context.Background(), tpox.ID(id))
	require.NoError(t, err, "order %d was answered", id)
	require.Equal(t, string(tpox.Order(order(id))), string(got))
}

func requireNoOrder(t testing.TB, s *Store, id int64) {
	t.Helper()
	require.ErrorAs(t, errOf(s.GetOrder(context.Background(), tpox.ID(id))), new(*tpox.NotFound), "order %d", id)
}

// buyOne returns a trade that tests repeat: one share of a security that depends on the account, at a fixed time.
func buyOne(account int64) tpox.Trade {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return tpox.Trade{Side: tpox.Buy, Symbol: tiny.Symbol(int(account) % 500), Quantity: "1", Now: at}
}

// customerID returns the id of the i-th customer.
func customerID(i int64) tpox.ID { return tpox.ID(tiny.ID(dataset.Customer, i)) }

// orderID returns the id of the i-th order.
func orderID(i int64) tpox.ID { return tpox.ID(tiny.ID(dataset.Order, i)) }

// scan returns the value that a query finds.
func scan[T any](t testing.TB, db *sql.DB, query string) (value T) {
	t.Helper()
	require.NoError(t, db.QueryRowContext(context.Background(), query).Scan(&value))
	return value
}

// execute runs statements on the file of a closed store, or on a new file.
func execute(t testing.TB, path, statements string, args ...any) {
	t.Helper()
	require.NoError(t, withDatabase(uri(path, nil), func(db *sql.DB) error {
		return errOf(db.ExecContext(context.Background(), statements, args...))
	}))
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	return []byte(testenv.Text(t, path))
}

func writeFile(t testing.TB, path string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, content, 0o666))
}

// content returns the files of a folder, by name.
func content(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	for _, name := range entries(t, dir) {
		files[name] = string(readFile(t, filepath.Join(dir, name)))
	}
	return files
}

// entries returns the names of the files in a folder, in order.
func entries(t testing.TB, dir string) []string {
	t.Helper()
	found, err := fs.Glob(os.DirFS(dir), "*")
	require.NoError(t, err)
	return found
}

// verified returns what verify finds in a file.
func verified(t testing.TB, path string) (findings []string, v store.Verified) {
	t.Helper()
	s := opened(t, path, store.Options{})
	findings, v = findingsOf(t, s)
	require.NoError(t, s.Close())
	return findings, v
}

func findingsOf(t testing.TB, s *Store) (findings []string, v store.Verified) {
	t.Helper()
	v, err := s.Verify(context.Background(), func(f string) error { findings = append(findings, f); return nil }, nil)
	require.NoError(t, err)
	require.Len(t, findings, int(v.Findings))
	return findings, v
}

func requireClean(t testing.TB, s *Store) {
	t.Helper()
	findings, _ := findingsOf(t, s)
	require.Empty(t, findings)
	require.NoError(t, s.Ready(context.Background()))
}

// requireTiny requires all documents of the dataset tiny, byte for byte, no others, and no findings.
func requireTiny(t testing.TB, s *Store) {
	t.Helper()
	requireClean(t, s)
	contents, err := s.Contents(t.Context())
	require.NoError(t, err)
	require.Equal(t, store.ContentsOf(tiny), contents)
	for _, k := range dataset.Kinds {
		n := scan[int64](t, s.reading, "SELECT count(*) FROM "+tableNames[k])
		require.Equal(t, tiny.Count(k), n, k)
		for i := range n {
			var got []byte
			want := tiny.Append(nil, k, i)
			switch k {
			case dataset.Security:
				got, err = s.GetSecurity(t.Context(), tiny.Symbol(int(i)))
			case dataset.Customer:
				got, err = s.GetCustomer(t.Context(), customerID(i))
			case dataset.Order:
				want = tpox.Order(want)
				got, err = s.GetOrder(t.Context(), orderID(i))
			}
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		}
	}
	require.Equal(t, tiny.TotalAccounts(), scan[int64](t, s.reading, "SELECT count(*) FROM accounts"))
	lease, err := s.Lease(t.Context(), "order", 1)
	require.NoError(t, err)
	require.Greater(t, lease.First, orderID(tiny.Count(dataset.Order)-1))
}

// victims holds, by name, the functions that the test binary runs in a process of its own. Most are killed.
var victims = map[string]func(args []string) error{
	"write": writingVictim, "insert": insertingVictim, "load": loadingVictim,
	"backup": backupVictim, "restore": restoreVictim,
}

// victimEnv holds the name and the arguments of a victim, one a line.
const victimEnv = "BROKERAGE_TEST_VICTIM"

func TestMain(m *testing.M) {
	if args := strings.Split(os.Getenv(victimEnv), "\n"); args[0] != "" {
		if err := victims[args[0]](args[1:]); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		return
	}
	testenv.Parallel()
	os.Exit(m.Run())
}

// A victim is a process that a test kills.
type victim struct {
	*exec.Cmd

	lines *bufio.Scanner // of its output
}

func startVictim(t testing.TB, args ...string) *victim {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), os.Args[0])
	cmd.Env = append(os.Environ(), victimEnv+"="+strings.Join(args, "\n"))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	v := &victim{cmd, bufio.NewScanner(out)}
	t.Cleanup(v.kill)
	return v
}

// requireLine waits for the victim's next line, and requires that it is want.
func (v *victim) requireLine(t testing.TB, want string) {
	t.Helper()
	require.True(t, v.lines.Scan())
	require.Equal(t, want, v.lines.Text())
}

// kill kills the victim, which may have ended already, and waits for its end.
func (v *victim) kill() {
	_ = v.Process.Kill()
	_ = v.Wait()
}

// together calls do(i) for each i below n, each in a goroutine, and waits for all.
func together(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// indexOf returns the position of a kind.
func indexOf(k kind) int { return slices.Index(kinds[:], k) }
