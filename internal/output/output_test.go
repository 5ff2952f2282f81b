package output_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/output"
	"brokerage/internal/testenv"
)

func names(t testing.TB, dir string) []string {
	t.Helper()
	found, err := fs.Glob(os.DirFS(dir), "*")
	require.NoError(t, err)
	return found
}

func TestWrite(t *testing.T) {
	const old = `{"format": "brokerage-run/1", "old"}`
	path := testenv.File(t, "out", old)
	dir := filepath.Dir(path)
	half := ""
	writing := func(err error) func(*os.File) error {
		return func(f *os.File) error {
			info, statErr := f.Stat()
			require.NoError(t, statErr)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "from the start")
			require.NotEqual(t, half, f.Name(), "a random name")
			half = f.Name()
			whole, ok := output.HalfOf(filepath.Base(half))
			require.True(t, ok)
			require.Equal(t, "out", whole)
			_, writeErr := f.WriteString("new")
			require.NoError(t, writeErr)
			require.Equal(t, []string{old}, []string{testenv.Text(t, path)})
			return err
		}
	}
	fault := errors.New("fault")
	require.ErrorIs(t, output.File{Path: path, Kind: output.Result, Mode: 0o644}.Write(t.Context(), writing(fault)), fault)
	require.Equal(t, []string{old}, []string{testenv.Text(t, path)})
	require.Equal(t, []string{"out"}, names(t, dir))

	require.NoError(t, output.File{Path: path, Kind: output.Result, Mode: 0o640}.Write(t.Context(), writing(nil)))
	require.Equal(t, "new", testenv.Text(t, path))
	require.Equal(t, []string{"out"}, names(t, dir))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
}

// A file is replaced only by its own kind, and appended to likewise; an empty one is of every kind.
func TestFile_Kinds(t *testing.T) {
	kinds := map[string]output.Kind{
		"Backup": output.Backup, "Database": output.Database, "Result": output.Result, "Page": output.Page,
		"AuditLog": output.AuditLog, "Tokens": output.Tokens, "None": {},
	}
	for text, kind := range map[string]string{
		"\x28\xB5\x2F\xFD…\x5B\x2A\x4D\x18{}":   "Backup",
		"\x28\xB5\x2F\xFD documents":            "",
		"SQLite format 3\x00":                   "Database",
		"\x37\x7f\x06\x82":                      "", // a journal of SQLite
		"{\n  \"format\": \"brokerage-tier/1\"": "Result",
		`{"format":"brokerage-campaign/1",`:     "Result",
		`{"format":"other","x":"brokerage-`:     "",
		`{"a": 1}`:                              "",
		"<!DOCTYPE html>\n<html lang=\"en\">\n<meta name=\"generator\" content=\"brokerage\">": "Page",
		"<!DOCTYPE html>\n<title>My report</title>":                                            "",
		"# tokens\n":      "Tokens",
		"alice:read:0123": "Tokens",
		`{"time":"2026-11-25T15:10:11Z","client":"ann","address":"::1"}`:                                 "AuditLog",
		`{"time":"2026-11-25T15:10:11.742134046Z","address":"192.0.2.1"`:                                 "AuditLog",
		`{"time":"2026-11-25T15:10:11.742134046Z","cli`:                                                  "AuditLog",
		"{\"time\":\"2026-11\n{\"time\":\"2026-11-25T15:10:11Z\",\"address\":\"\",\"outcome\":\"torn\"}": "AuditLog",
		`{"time":"2026-11-25T15:10:11.742134046Z","level":"INFO","msg":"listening"}`:                     "",
	} {
		path := testenv.File(t, "file", text)
		for name, k := range kinds {
			err := output.File{Path: path, Kind: k}.Check()
			if name == kind {
				require.NoError(t, err, text)
			} else {
				require.Error(t, err, "%s: %s", name, text)
			}
		}
		require.Equal(t, text, testenv.Text(t, path))
	}
	empty := testenv.File(t, "file", "")
	for name, k := range kinds {
		require.Equal(t, name != "None", output.File{Path: empty, Kind: k}.Check() == nil, name)
	}
}

// An output is none of the inputs and nothing that belongs to a database, by whatever name, whether it exists or not.
func TestFile_Inputs(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string) {
		require.NoError(t, os.WriteFile(at(name), []byte(`{"format": "brokerage-run/1"}`), 0o600))
	}
	for _, name := range []string{"input", "x.db", "x.db-shm", "other.db"} {
		write(name)
	}
	require.NoError(t, os.Mkdir(at("inside"), 0o700))
	require.NoError(t, os.Symlink("../x.db-wal", at("inside/link"))) // to a file that does not exist
	require.NoError(t, os.Symlink(at("inside"), at("folder")))
	require.NoError(t, os.Symlink("input", at("link")))
	require.NoError(t, os.Link(at("x.db-shm"), at("hard")))
	require.NoError(t, os.Symlink("new", at("to-new")))
	file := output.File{Kind: output.Result, Inputs: []string{at("link"), at("x.db"), at("new"), ""}}
	for path, says := range map[string]string{
		"input": "that this command reads", "link": "that this command reads", "x.db": "that this command reads",
		"new": "that this command reads", "to-new": "that this command reads",
		"x.db-wal": "belongs to the database", "x.db-shm": "belongs to the database", "hard": "belongs to the database",
		"inside/link": "belongs to the database", "folder/link": "belongs to the database",
		"new-wal": "belongs to the database", "other.db-wal": "belongs to the database", "inside": "is not a file",
		"none/x": "there is no folder",
	} {
		file.Path = at(path)
		err := file.Check()
		require.ErrorContains(t, err, says, path)
		require.ErrorContains(t, file.Write(t.Context(), nil), says)
		_, refused := errors.AsType[*output.Refused](err)
		require.Equal(t, says != "there is no folder", refused)
	}
	file.Path = at("y.db-wal")
	require.NoError(t, file.Check(), "a name alone says nothing")
	for path, other := range map[string]string{"one": "one", "two": "inside/../two", "folder/three": "inside/three",
		"to-other": "newer"} {
		_ = os.Symlink("newer", at("to-other"))
		err := output.File{Path: at(path), Others: []string{"", at(other)}}.Check()
		require.EqualError(t, err, at(path)+" is named for two outputs: choose another name for one of them")
	}
	write("result")
	file.Path, file.New = at("result"), true
	require.EqualError(t, file.Check(), at("result")+" exists already: see --replace")
}

// A file of another kind that appears while Write runs is not replaced.
func TestFile_AppearsMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	err := output.File{Path: path, Kind: output.Result}.Write(t.Context(), func(*os.File) error {
		return os.WriteFile(path, []byte("mine"), 0o600)
	})
	require.ErrorContains(t, err, "is not a result, and is not overwritten: choose another name")
	require.Equal(t, "mine", testenv.Text(t, path))
	require.Equal(t, []string{"out"}, names(t, filepath.Dir(path)))
}

func TestFile_Append(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	file := output.File{Path: path, Kind: output.Tokens}
	for _, c := range []struct {
		line string
		torn bool // before the line is written
	}{{"a:read:1\n", false}, {"b:re", false}, {"\n", true}, {"c:read:3\n", false}} {
		out, torn, err := file.Append()
		require.NoError(t, err)
		require.Equal(t, c.torn, torn)
		_, err = out.WriteString(c.line)
		require.NoError(t, errors.Join(err, out.Close()))
	}
	require.Equal(t, "a:read:1\nb:re\nc:read:3\n", testenv.Text(t, path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestHalfOf(t *testing.T) {
	for name, want := range map[string]string{
		".a.xml.123.partial": "a.xml", ".a.1.partial": "a", "a.1.partial": "", ".a.partial": "", ".a.1": "", ".partial": "",
	} {
		whole, ok := output.HalfOf(name)
		require.Equal(t, want, whole, name)
		require.Equal(t, want != "", ok, name)
	}
}
