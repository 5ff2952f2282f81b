package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

// requireHolds compares all orders of a database with the generator, and verifies the database.
func requireHolds(t testing.TB, path string, d *dataset.Dataset) {
	t.Helper()
	opened, err := sqlite.Open(t.Context(), path, store.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	contents, err := opened.Contents(t.Context())
	require.NoError(t, err)
	require.Equal(t, d.Fingerprint(), contents.Fingerprint)
	for i := range d.Count(dataset.Order) {
		doc, err := opened.GetOrder(t.Context(), tpox.ID(d.ID(dataset.Order, i)))
		require.NoError(t, err)
		require.Equal(t, string(tpox.Order(d.Append(nil, dataset.Order, i))), string(doc))
	}
	v, err := opened.Verify(t.Context(), func(finding string) error { t.Error(finding); return nil }, nil)
	require.NoError(t, err)
	require.Equal(t, store.Verified{
		Documents: [...]int64{d.Count(dataset.Security), d.Count(dataset.Customer), d.Count(dataset.Order)},
		Accounts:  d.TotalAccounts(), Bytes: v.Bytes,
	}, v)
	lease, err := opened.Lease(t.Context(), "order", 1)
	require.NoError(t, err)
	require.GreaterOrEqual(t, int64(lease.First), d.ID(dataset.Order, d.Count(dataset.Order)-1)+1)
}

func TestLoad_Generated(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	db := filepath.Join(t.TempDir(), "b.db")
	args := []string{"load", "--db", "sqlite:" + db}
	r := succeeds(t, args...)
	require.Contains(t, r.out, "2,700 documents in")
	require.Regexp(t, `\Atraining dictionaries for compression\n(?s:.*)making indexes\n`, r.err)
	require.Regexp(t, `\n +total +2,700 +\d\.\d+ MB +\d\.\d+ MB +\d+\.\d %\n$`, r.out)
	requireHolds(t, db, tiny(dataset.TPoX2))

	r = succeeds(t, args...)
	require.Contains(t, r.out, "nothing to do")

	requireOneLine(t, brokerage(t.Context(), append(args, "--seed", "2")...), exitFailed, "--replace")
	succeeds(t, append(args, "--profile", "tpox-1", "--replace")...)
	requireHolds(t, db, tiny(dataset.TPoX1))
}

// A database with an interrupted load fails verify, and is not loaded again without --replace.
func TestLoad_Interrupted(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	requireOneLine(t, brokerage(ctx, "load", "--db", "sqlite:"+filepath.Join(t.TempDir(), "b.db")), exitInterrupted,
		"interrupted")

	path := filepath.Join(begun(t, tiny(dataset.TPoX2)), "brokerage.db")
	db := "sqlite:" + path
	r := brokerage(t.Context(), "verify", "--db", db)
	require.Equal(t, exitFailed, r.code)
	require.Contains(t, r.out, "a load was not finished")
	files := t.TempDir()
	succeeds(t, "generate", "--out", files, "--compress", "zstd")
	for _, args := range [][]string{{"load"}, {"load", "--seed", "2"}, {"load", "--from", files}} {
		requireOneLine(t, brokerage(t.Context(), append(args, "--db", db)...), exitFailed,
			path+": the load of tpox-2/tiny/seed-1/v1/500-200-2000 was not finished: "+
				"if it is no longer running, run brokerage load --replace")
	}
	succeeds(t, "load", "--db", db, "--from", files, "--replace")
	requireHolds(t, path, tiny(dataset.TPoX2))
}

// Files that are not compressed; TestLoad_Interrupted loads compressed ones.
func TestLoad_Files(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	files := t.TempDir()
	succeeds(t, "generate", "--out", files)
	db := filepath.Join(t.TempDir(), "b.db")
	load := []string{"load", "--db", "sqlite:" + db, "--from", files, "--validate"}
	r := succeeds(t, load...)
	require.Contains(t, r.out, "2,700 documents")
	requireHolds(t, db, tiny(dataset.TPoX2))
	for _, args := range [][]string{load, {"load", "--db", "sqlite:" + db}} {
		r = succeeds(t, args...)
		require.Contains(t, r.out, "nothing to do")
	}
	require.NoError(t, os.WriteFile(filepath.Join(files, "more.xml"), []byte("<a/>"), 0o666))
	requireOneLine(t, brokerage(t.Context(), load...), exitFailed, "--replace")
}

// A batch file like the kit's, with one example of everything that can be wrong.
func TestLoad_Batch(t *testing.T) {
	t.Parallel()
	d := tiny(dataset.TPoX2)
	const declaration = "<?xml version=\"1.0\" encoding=\"US-ASCII\"?>\n<!-- a document -->\n"
	var batch strings.Builder
	add := func(text string) { batch.WriteString(declaration + text + "\n") }
	customer := string(d.Append(nil, dataset.Customer, 0))
	add(string(d.Append(nil, dataset.Security, 0)))                               // line 1
	add(customer)                                                                 // line 4
	add("<Customer>")                                                             // line 7: broken
	add(string(d.Append(nil, dataset.Order, 0)))                                  // line 10
	add(string(d.Append(nil, dataset.Order, 0)))                                  // line 13: exists already
	add("<a/>")                                                                   // line 16: no kind
	add(strings.Replace(customer, `id="1002"`, `id="999999"`, 1))                 // line 19: its account is another's
	add(strings.Replace(string(d.Append(nil, dataset.Order, 1)), "ID=", "X=", 1)) // line 22: no id
	add(strings.Replace(string(d.Append(nil, dataset.Customer, 1)), "<Name>", "<Nome></Nome><Name>", 1))
	files := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(files, "batch-1.xml"), []byte(batch.String()), 0o666))

	db := filepath.Join(t.TempDir(), "b.db")
	args := []string{"load", "--db", "sqlite:" + db, "--from", files}
	r := succeeds(t, append(args, "--validate")...)
	require.Contains(t, r.out, "3 documents")
	require.Contains(t, r.out, "6 refused")
	var told []string
	for line := range strings.SplitSeq(strings.TrimSpace(r.err), "\n") {
		if name, ok := strings.CutPrefix(line, files+string(filepath.Separator)); ok { // not the progress
			told = append(told, name)
		}
	}
	require.Len(t, told, 6, r.err)
	for i, begins := range []string{
		"batch-1.xml:7: ", "batch-1.xml:13: order 103282 exists", "batch-1.xml:16: ",
		"batch-1.xml:19: account 104000000 exists", "batch-1.xml:22: /FIXML/Order/@ID", "batch-1.xml:25: ",
	} {
		require.True(t, strings.HasPrefix(told[i], begins), told[i])
	}
	succeeds(t, "verify", "--db", "sqlite:"+db)

	db = filepath.Join(t.TempDir(), "b.db")
	r = brokerage(t.Context(), "load", "--db", "sqlite:"+db, "--from", files, "--strict")
	require.Equal(t, exitFailed, r.code, r.err)
	require.Contains(t, r.err, "batch-1.xml:7: ")
	require.NotContains(t, r.err, "batch-1.xml:13: ")
}
