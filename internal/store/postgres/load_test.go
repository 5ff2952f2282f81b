package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

// requireDataset requires all documents of a dataset, byte for byte, and no more.
func requireDataset(t testing.TB, s *Store, d *dataset.Dataset) {
	t.Helper()
	require.NoError(t, s.Ready(t.Context()))
	contents, err := s.Contents(t.Context())
	require.NoError(t, err)
	require.Equal(t, bulk.ContentsOf(d), contents)
	space, err := s.Space(t.Context())
	require.NoError(t, err)
	var raw [len(dataset.Kinds)]int64
	for _, k := range dataset.Kinds {
		require.Equal(t, d.Count(k), space.Documents[k], k)
		for i := range d.Count(k) {
			want := d.Append(nil, k, i)
			raw[k] += int64(len(want))
			var got []byte
			switch k {
			case dataset.Security:
				got, err = s.GetSecurity(t.Context(), d.Symbol(int(i)))
			case dataset.Customer:
				got, err = s.GetCustomer(t.Context(), brokerage.ID(d.ID(k, i)))
			case dataset.Order:
				err = s.pool.QueryRow(t.Context(),
					"SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.orders WHERE (keys).id = $1", d.ID(k, i)).Scan(&got)
			}
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		}
	}
	require.Equal(t, raw, space.Raw)
	require.Empty(t, verified(t, s))
	lease, err := s.Lease(t.Context(), "order", 1)
	require.NoError(t, err)
	require.Equal(t, d.ID(dataset.Order, d.Count(dataset.Order)), int64(lease.First))
}

func TestLoadDataset_GoesOnWhereItStopped(t *testing.T) {
	server := pgtest.Shared(t)
	url := server.URL(server.Database(t))
	d := generator(t, "tiny")
	for stop := 1; ; stop++ { // after each chunk in turn
		s := opened(t, url, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		chunks := 0
		err := s.LoadDataset(ctx, d, func(int, int64) {
			if chunks++; chunks == stop {
				cancel()
			}
		})
		cancel()
		if err == nil {
			requireDataset(t, s, d)
			require.NoError(t, s.LoadDataset(t.Context(), d, func(int, int64) { t.Error("something was loaded again") }))
			err = s.LoadDataset(t.Context(), dataset.New(dataset.Spec{Seed: 2}), nil)
			require.ErrorContains(t, err, "holds "+d.Fingerprint()+" already")
			return
		}
		require.ErrorIs(t, err, context.Canceled)
		_, is := unavailable(s.Ready(t.Context()))
		require.True(t, is, "a part is ready")
		contents, err := s.Contents(t.Context())
		require.NoError(t, err)
		require.Zero(t, contents)
		require.NoError(t, s.Close())
	}
}

func TestLoadDataset_Empty(t *testing.T) {
	s, _, _, _ := tiny(t)
	require.NoError(t, s.Empty(t.Context()))
	other := dataset.New(dataset.Spec{Seed: 2})
	require.NoError(t, s.LoadDataset(t.Context(), other, nil))
	requireDataset(t, s, other)
}

// source yields documents of a dataset, with some others among them.
func source(d *dataset.Dataset, odd map[int]string, refused *[]string) bulk.Source {
	var all []bulk.RawDocument
	for _, k := range dataset.Kinds {
		for i := range d.Count(k) {
			if text, ok := odd[len(all)]; ok {
				all = append(all, bulk.RawDocument{Bytes: []byte(text), Line: len(all) + 1})
			}
			all = append(all, bulk.RawDocument{Bytes: d.Append(nil, k, i), Line: len(all) + 1})
		}
	}
	return bulk.Source{
		Name: "files", Contents: bulk.ContentsOf(d),
		Batches: func(position string) iter.Seq2[bulk.RawBatch, error] {
			return func(yield func(bulk.RawBatch, error) bool) {
				from := 0
				if position != "" {
					_, _ = fmt.Sscan(position, &from)
				}
				for ; from < len(all); from += 300 {
					to := min(from+300, len(all))
					batch := bulk.RawBatch{
						File: "f", Documents: all[from:to], Position: fmt.Sprint(to), Bytes: int64(to - from),
					}
					if !yield(batch, nil) {
						return
					}
				}
			}
		},
		Refused: func(_ string, line int, err error) error {
			*refused = append(*refused, fmt.Sprintf("%d: %v", line, err))
			return nil
		},
	}
}

func TestLoadBatches(t *testing.T) {
	server := pgtest.Shared(t)
	d := generator(t, "tiny")
	s := opened(t, server.URL(server.Database(t)), Options{})
	var refused []string
	from := source(d, nil, &refused)
	// Ended once in the middle.
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.LoadBatches(ctx, from, func(int, int64) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	loaded, err := s.LoadBatches(t.Context(), from, nil)
	require.NoError(t, err)
	require.True(t, loaded.Done)
	require.Empty(t, refused)
	requireDataset(t, s, d)
	_, err = s.LoadBatches(t.Context(), from, func(int, int64) { t.Error("something was loaded again") })
	require.NoError(t, err)
}

func TestLoadBatches_Refused(t *testing.T) {
	server := pgtest.Shared(t)
	d := generator(t, "tiny")
	s := opened(t, server.URL(server.Database(t)), Options{})
	orders := int(d.Count(dataset.Security) + d.Count(dataset.Customer))
	customers := int(d.Count(dataset.Security))
	var refused []string
	loaded, err := s.LoadBatches(t.Context(), source(d, map[int]string{
		10:             `not XML`,
		customers + 20: string(d.Append(nil, dataset.Customer, 3)),                // is there already
		customers + 30: string(customer(d, 5_000_000_000, d.FirstAccount(40), 9)), // an account of one that comes later
		orders + 50:    string(d.Append(nil, dataset.Order, 0)),
		orders + 60:    `<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="x" Acct="1"/></FIXML>`,
	}, &refused), nil)
	require.NoError(t, err)
	require.Len(t, refused, 5)
	require.Equal(t, int64(5), loaded.Refused)
	require.Contains(t, refused[1], fmt.Sprintf("%d: customer %d exists already", customers+21, d.ID(dataset.Customer, 3)))
	require.Contains(t, refused[2], "exists already")
	require.Contains(t, refused[3], fmt.Sprintf("order %d exists already", d.ID(dataset.Order, 0)))
	contents, err := s.Contents(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, d.Fingerprint(), contents.Fingerprint)
	require.Equal(t, d.Count(dataset.Customer), contents.Customers)
	require.Empty(t, verified(t, s))
}

func TestBackup_Restore(t *testing.T) {
	s, d, server, _ := tiny(t)
	require.NoError(t, s.DeleteOrder(t.Context(), now(), brokerage.ID(d.ID(dataset.Order, 5))))
	strange := `<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="1" Acct="2" Txt="\.">` +
		"\\N \\. tab\there\n\\.\n株</Order></FIXML>"
	_, err := s.InsertOrder(t.Context(), now(), []byte(strange))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "b.bak")
	sum, err := s.BackupTo(t.Context(), file, false, nil)
	require.NoError(t, err)
	require.Equal(t, d.Fingerprint(), sum.Fingerprint)
	_, err = s.BackupTo(t.Context(), file, false, nil)
	require.ErrorContains(t, err, "--replace")

	other := opened(t, server.URL(server.Database(t)), Options{})
	_, err = other.Restore(t.Context(), file, false, nil)
	require.NoError(t, err)
	same := func() {
		t.Helper()
		for _, table := range []string{"orders", "customers", "securities", "accounts", "settings", "leases"} {
			hash := "SELECT count(*) || ' ' || coalesce(sum(hashtextextended(r::text, 0)), 0)::text " +
				"FROM brokerage." + table + " AS r"
			var want, got string
			require.NoError(t, s.pool.QueryRow(t.Context(), hash).Scan(&want))
			require.NoError(t, other.pool.QueryRow(t.Context(), hash).Scan(&got))
			require.Equal(t, want, got, table)
		}
	}
	same()
	require.NoError(t, other.Ready(t.Context()))
	indexed, err := other.Indexed(t.Context())
	require.NoError(t, err)
	require.True(t, indexed)

	// Into one that holds something only if that is wanted.
	_, err = other.Restore(t.Context(), file, false, nil)
	require.ErrorContains(t, err, "--replace")
	require.NoError(t, other.DeleteCustomer(t.Context(), now(), brokerage.ID(d.ID(dataset.Customer, 0))))
	_, err = other.Restore(t.Context(), file, true, nil)
	require.NoError(t, err)
	same()
}

// A backup goes into a database without this program: the printed schema, and then the backup, unpacked, both by psql.
func TestBackup_ByHand(t *testing.T) {
	psql := testenv.Command(t, "psql")
	s, d, server, _ := tiny(t)
	require.NoError(t, s.DeleteOrder(t.Context(), now(), brokerage.ID(d.ID(dataset.Order, 5))))
	script, err := Script()
	require.NoError(t, err)
	var backup bytes.Buffer
	_, err = s.Backup(t.Context(), &backup, nil)
	require.NoError(t, err)
	unpacked, err := zstd.NewReader(&backup)
	require.NoError(t, err)
	defer unpacked.Close()
	url := server.URL(server.Database(t))
	for _, input := range []io.Reader{strings.NewReader(script), unpacked} {
		cmd := exec.CommandContext(t.Context(), psql, "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", url)
		cmd.Stdin = input
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	by := opened(t, url, Options{AsIs: true})
	require.NoError(t, by.Ready(t.Context()))
	require.Empty(t, verified(t, by))
	_, err = by.GetOrder(t.Context(), brokerage.ID(d.ID(dataset.Order, 5)))
	require.Error(t, err)
	_, err = by.GetOrder(t.Context(), brokerage.ID(d.ID(dataset.Order, 6)))
	require.NoError(t, err)
}

// Whatever byte of a backup is another one, or missing, nothing is restored.
func TestRestore_Damaged(t *testing.T) {
	s, d, _, _ := tiny(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "b.bak")
	_, err := s.BackupTo(t.Context(), file, false, nil)
	require.NoError(t, err)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	damaged := filepath.Join(dir, "damaged.bak")
	for i := range 20 {
		at := i * (len(whole) - 1) / 19
		flipped := append([]byte(nil), whole...)
		flipped[at] ^= 0x10
		for _, b := range [][]byte{flipped, whole[:at]} {
			require.NoError(t, os.WriteFile(damaged, b, 0o600))
			_, err := s.Restore(t.Context(), damaged, true, nil)
			require.Error(t, err, "byte %d", at)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = s.Restore(ctx, file, true, func(done, total int64) {
		if done > total*3/4 { // in the transaction
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	cancel()
	requireDataset(t, s, d)
}

// Verify finds what only somebody with more rights than the service can do.
func TestVerify_Findings(t *testing.T) {
	s, d, _, _ := tiny(t)
	account := d.FirstAccount(0)
	_, err := s.pool.Exec(t.Context(), "DELETE FROM brokerage.accounts WHERE account = $1", account)
	require.NoError(t, err)
	_, err = s.pool.Exec(t.Context(), "INSERT INTO brokerage.accounts VALUES (5, 6)")
	require.NoError(t, err)
	_, err = s.InsertOrder(t.Context(), now(),
		[]byte(`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="7" Acct="2"></Order></FIXML>`))
	require.NoError(t, err)
	findings := verified(t, s)
	require.Len(t, findings, 3)
	require.Contains(t, findings[0], "order 7: the document is not valid")
	require.ElementsMatch(t, findings[1:], []string{
		fmt.Sprintf("customer %d: account %d is in the document, but does not belong to it",
			d.ID(dataset.Customer, 0), account),
		"account 5: belongs to customer 6, whose document does not have it",
	})
}

// Two loads at once would take each other's documents for their own.
func TestLoadDataset_Alone(t *testing.T) {
	server := pgtest.Shared(t)
	url := server.URL(server.Database(t))
	d := generator(t, "tiny")
	first, second := opened(t, url, Options{}), opened(t, url, Options{})
	tried := false
	err := first.LoadDataset(t.Context(), d, func(int, int64) {
		if !tried {
			tried = true
			require.ErrorContains(t, second.LoadDataset(t.Context(), d, nil), "another load")
		}
	})
	require.NoError(t, errors.Join(err, second.LoadDataset(t.Context(), d, nil)))
	requireDataset(t, first, d)
}
