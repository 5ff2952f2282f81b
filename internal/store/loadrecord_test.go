package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

func recordOf(settings map[string]string) *store.LoadRecord {
	return &store.LoadRecord{Text: func(_ context.Context, name string) (string, error) {
		if name == "broken" {
			return "", errors.New("no database")
		}
		return settings[name], nil
	}}
}

func TestLoadRecord(t *testing.T) {
	const held = `{"Fingerprint":"tpox-2/tiny","Orders":3}`
	for name, c := range map[string]struct {
		settings map[string]string
		ready    string // part of the error of Ready; empty for none
		contents tpox.Contents
	}{
		"Nothing": {},
		"Finished": {
			settings: map[string]string{store.SettingContents: held},
			contents: tpox.Contents{Fingerprint: "tpox-2/tiny", Orders: 3},
		},
		// The contents of a finished load are not returned while another load is unfinished.
		"Unfinished": {
			settings: map[string]string{store.SettingContents: held, store.SettingLoading: `"more"`},
			ready:    "the load of more was not finished: if it is no longer running, run brokerage load --replace",
		},
		"Damaged": {settings: map[string]string{store.SettingLoading: `{`}, ready: "setting loading: "},
	} {
		t.Run(name, func(t *testing.T) {
			r := recordOf(c.settings)
			if err := r.Ready(t.Context()); c.ready == "" {
				require.NoError(t, err)
			} else {
				unavailable, is := errors.AsType[*tpox.Unavailable](err)
				require.True(t, is, err)
				require.ErrorContains(t, unavailable.Cause, c.ready)
			}
			if contents, err := r.Contents(t.Context()); err == nil {
				require.Equal(t, c.contents, contents)
			}
		})
	}
	require.ErrorContains(t, recordOf(nil).Setting(t.Context(), "broken", new(int)), "no database")
}

func TestLoadRecord_Done(t *testing.T) {
	finished := map[string]string{
		store.SettingContents: `{"Fingerprint":"one"}`, store.SettingLoaded: `{"source":"files"}`,
	}
	for name, c := range map[string]struct {
		settings map[string]string
		load     string
		done     bool
		err      string
	}{
		"Empty":      {load: "one"},
		"Unfinished": {map[string]string{store.SettingLoading: `"one"`}, "one", false, "run brokerage load --replace"},
		"Own":        {finished, "one", true, ""},
		"OwnFiles":   {finished, "files", true, ""},
		"Another":    {finished, "two", false, "the database holds one already"},
	} {
		t.Run(name, func(t *testing.T) {
			done, err := recordOf(c.settings).Done(t.Context(), c.load)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.done, done)
		})
	}
}

// A load with the expected counts is taken for the dataset, unless a document was refused.
func TestLoaded_Finished(t *testing.T) {
	expected := tpox.Contents{Fingerprint: "tpox-2/tiny", Securities: 1, Customers: 2, Orders: 3}
	var l store.Loaded
	l.Source = "folder"
	l.Documents[dataset.Security], l.Documents[dataset.Customer], l.Documents[dataset.Order] = 1, 2, 3
	l.Raw[dataset.Order] = 4096

	settings := l.Finished(expected)
	require.Equal(t, expected, settings[store.SettingContents])
	require.Equal(t, int64(4096), settings[store.SettingRaw+"order"])
	require.Equal(t, l, settings[store.SettingLoaded])

	l.Refused = 1
	settings = l.Finished(expected)
	require.Equal(
		t, tpox.Contents{Fingerprint: "folder/1-2-3", Securities: 1, Customers: 2, Orders: 3},
		settings[store.SettingContents],
	)
}

func TestInspect(t *testing.T) {
	var findings []string
	var read int64
	v := store.Verification{
		Find: func(f string) error { findings = append(findings, f); return nil }, Read: func(n int64) { read += n },
	}
	stored := func(yield func([]string, error) bool) {
		_ = yield([]string{"<a", "<b><!----></b>"}, nil) && yield([]string{"<c>1</c>"}, nil)
	}
	err := store.Inspect(t.Context(), &v, dataset.Order, stored, func(docs []string) (seen store.Inspected) {
		for _, doc := range docs {
			if seen.Document(dataset.Order, doc, []byte(doc)) {
				seen.AddFinding(doc, "no keys")
			}
		}
		return seen
	})
	require.NoError(t, err)
	require.Len(t, findings, 4)
	require.Contains(t, findings[0], "<a: the document is not XML: ")
	require.Equal(t, "<b><!----></b>: the document is not in the normal form", findings[1])
	require.Contains(t, findings[2], "<c>1</c>: the document is not valid: ")
	require.Equal(t, "<c>1</c>: no keys", findings[3])
	require.Equal(t, store.Verified{Documents: v.Documents, Bytes: v.Bytes, Findings: 4}, v.Verified)
	require.Equal(t, int64(3), v.Documents[dataset.Order])
	require.Equal(t, int64(len("<a<b><!----></b><c>1</c>")), read)

	v.Find = func(string) error { return errors.New("enough") }
	require.ErrorContains(t, v.ReportUnfinished(t.Context()), "enough")
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, v.Report(ended), context.Canceled)
}
