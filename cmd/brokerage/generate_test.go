package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

func tiny(profile dataset.Profile) *dataset.Dataset {
	return dataset.New(dataset.Spec{Profile: profile, Seed: 1})
}

// lines returns all documents of a kind as in files.
func lines(d *dataset.Dataset, kind dataset.Kind) []byte {
	var all []byte
	for i := range d.Count(kind) {
		all = append(d.Append(all, kind, i), '\n')
	}
	return all
}

// content joins the files of a kind in a folder, in order of their names.
func content(t testing.TB, dir, kind string) []byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*."+kind+".*"))
	require.NoError(t, err)
	slices.Sort(names)
	var all []byte
	for _, name := range names {
		b := []byte(testenv.Text(t, name))
		if strings.HasSuffix(name, ".zst") {
			d, err := zstd.NewReader(bytes.NewReader(b))
			require.NoError(t, err)
			b, err = io.ReadAll(d)
			require.NoError(t, err)
			d.Close()
		}
		all = append(all, b...)
	}
	return all
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestGenerate_Whole(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	for _, says := range []string{"2,700 documents", "nothing to do"} {
		r := succeeds(t, "generate", "--out", dir, "--profile", "tpox-1", "--compress", "zstd")
		require.Contains(t, r.out, says)
		for _, kind := range dataset.Kinds {
			require.True(t, bytes.Equal(lines(tiny(dataset.TPoX1), kind), content(t, dir, kind.String())), "%s", kind)
		}
		require.Len(t, names(t, dir), 3)
	}
}

func TestGenerate_Parts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, part := range []string{"3/7", "1/7", "7/7", "2/7", "6/7", "5/7", "4/7"} {
		succeeds(t, "generate", "--out", dir, "--part", part)
	}
	require.Len(t, names(t, dir), 3*7)
	d := tiny(dataset.TPoX2)
	for _, kind := range dataset.Kinds {
		require.True(t, bytes.Equal(lines(d, kind), content(t, dir, kind.String())), "%s", kind)
	}

	before := names(t, dir)
	requireRefusals(t, "generate --out "+dir, map[string]refusal{
		"--part 3/8":              {exitFailed, "another --part"},
		"--part 1/1 --kind order": {exitFailed, "another --part"},
		"--seed 2":                {exitFailed, "not a file of this dataset"},
		"--profile tpox-1":        {exitFailed, "not a file of this dataset"},
		"--compress zstd":         {exitFailed, "not a file of this dataset"},
	})
	require.Equal(t, before, names(t, dir))

	r := succeeds(t, "generate", "--out", t.TempDir(), "--part", "999/1000", "--kind", "customer")
	require.Contains(t, r.out, "holds no document")
}

func TestGenerate_Continues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"generate", "--out", dir, "--scale", "XXXS", "--kind", "order,customer"}
	succeeds(t, args...)
	want := content(t, dir, "order")
	all := names(t, dir)

	// As after a kill -9: one file missing, its half still there.
	i := slices.IndexFunc(all, func(name string) bool { return strings.Contains(name, ".order.") })
	require.NoError(t, os.Remove(filepath.Join(dir, all[i])))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "."+all[i]+".123.partial"), []byte("half"), 0o666))
	customer, err := os.Stat(filepath.Join(dir, all[1-i]))
	require.NoError(t, err)

	r := succeeds(t, args...)
	require.Contains(t, r.out, "in 1 file, in addition to 1 from before")
	require.Equal(t, all, names(t, dir))
	require.True(t, bytes.Equal(want, content(t, dir, "order")))
	untouched, err := os.Stat(filepath.Join(dir, all[1-i]))
	require.NoError(t, err)
	require.Equal(t, customer.ModTime(), untouched.ModTime())
}

// An interrupted run can be continued: each file with its final name is complete, and no other file is left.
func TestGenerate_Interrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan exited, 1)
	go func() {
		ended <- brokerage(ctx, "generate", "--out", dir, "--scale", "XS", "--kind", "customer", "--part", "1/4")
	}()
	eventually(t, func() bool { return len(names(t, dir)) > 2 }, "files")
	cancel()
	r := <-ended
	require.Equal(t, exitInterrupted, r.code, r.err)
	require.Contains(t, r.err, " complete in "+dir+"; the same command continues there")
	scale, err := dataset.ParseScale("XS")
	require.NoError(t, err)
	d := dataset.New(dataset.Spec{Scale: scale, Seed: 1})
	for _, name := range names(t, dir) {
		var from, last int64
		_, err := fmt.Sscanf(name, "tpox-2_XS_seed-1_v1.customer.%d-%d.xml", &from, &last)
		require.NoError(t, err, name)
		text := testenv.Text(t, filepath.Join(dir, name))
		require.Equal(t, int(last+1-from), strings.Count(text, "\n"))
		require.True(t, strings.HasSuffix(text, string(d.Append(nil, dataset.Customer, last))+"\n"))
	}
}

func TestGenerate_ReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere; the ordinary user's run covers this")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o555))
	requireOneLine(t, brokerage(t.Context(), "generate", "--out", dir), exitFailed, "permission denied")
}

// A dataset of --customers and --orders has a name of its own.
func TestGenerate_Counts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "files")
	counts := []string{"--customers", "30", "--orders", "150"}
	succeeds(t, append([]string{"generate", "--out", dir, "--kind", "order"}, counts...)...)
	require.Equal(t, []string{"tpox-2_30-150_seed-1_v1.order.000000000000-000000000149.xml"}, names(t, dir))
	r := brokerage(t.Context(), append([]string{"dataset"}, counts...)...)
	require.Contains(t, r.out, "fingerprint tpox-2/30-150/seed-1/v1/20833-30-150\n")
}
