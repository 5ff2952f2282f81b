package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Settings of a URL are those of every connection, and the store describes them.
func TestSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "set.db")
	url := "sqlite:" + path + "?synchronous=normal&page_size=8192&mmap_size=1048576&cache_size=-2000&wal_autocheckpoint=77"
	d, err := store.Find(url)
	require.NoError(t, err)
	require.Equal(t, path, d.Path())
	require.ErrorContains(t, d.RequireDurable(false), "with synchronous=normal, a power failure may take back")
	require.NoError(t, d.RequireDurable(true))
	opened, err := d.Open(t.Context(), store.Options{})
	require.NoError(t, err)
	s, _ := opened.(*Store)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.LoadDataset(t.Context(), tiny, nil)) // which changes some of them meanwhile
	for pragma, want := range map[string][2]int{              // of the connection that writes, and of those that read
		"synchronous": {1, 1}, "page_size": {8192, 8192}, "mmap_size": {1048576, 1048576}, "cache_size": {-2000, -2000},
		"wal_autocheckpoint": {77, 77},
	} {
		var writing, reading int
		require.NoError(t, s.writer.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&writing))
		require.NoError(t, s.reading.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&reading))
		require.Equal(t, want, [2]int{writing, reading}, pragma)
	}
	is := s.Describe()
	require.Equal(t, tpox.NotDurable, is.Durability)
	require.Contains(t, is.Settings, tpox.Setting{Name: "synchronous", Value: "normal"})
	require.Contains(t, is.Settings, tpox.Setting{Name: "mmap_size", Value: "1048576"})
	require.Contains(t, is.Settings, tpox.Setting{Name: "page_size", Value: "8192"})
}

// An existing file keeps its page size: another one in the URL is refused.
func TestSettings_PageSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "set.db")
	emptyAt(t, path)
	require.ErrorContains(t, errOf(Open(t.Context(), path+"?page_size=8192", store.Options{})),
		"has pages of 4096 bytes, not 8192: load a new file with page_size=8192")
}

func TestSettings_Refused(t *testing.T) {
	for query, says := range map[string]string{
		"":                                       `unknown setting "": use some of cache_size, mmap_size, `,
		"b.db":                                   `unknown setting "b.db"`,
		"journal_mode=off":                       `unknown setting "journal_mode"`,
		"synchronous=offf":                       `synchronous is "offf", but must be off, normal, full or extra`,
		"synchronous":                            `synchronous is ""`,
		"page_size=5000":                         "a power of two from 512 to 65536",
		"mmap_size=-1":                           "a number of bytes",
		"cache_size=0":                           "cache_size",
		"synchronous=full&synchronous=off":       "synchronous is set twice",
		"synchronous=full&":                      `unknown setting ""`,
		"cache_size=1);PRAGMA writable_schema(1": "cache_size is",
	} {
		require.ErrorContains(t, errOf(store.Find("sqlite:a.db?"+query)), says, query)
	}
	require.ErrorContains(t, errOf(store.Find("sqlite:?synchronous=full")), "names no file")
}
