package sqlite

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/testenv"
)

// smallBackup returns a backup of a store without documents: a few kilobytes.
func smallBackup(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	_, _, err := Backup(t.Context(), empty(t).path, &b, nil)
	require.NoError(t, err)
	return b.Bytes()
}

// A target is a folder with a database that a refused restore must not touch.
type target struct {
	dir, path string
	before    map[string]string
}

func newTarget(t testing.TB) (tg target) {
	t.Helper()
	tg.dir = t.TempDir()
	tg.path = filepath.Join(tg.dir, "b.db")
	emptyAt(t, tg.path)
	execute(t, tg.path, "INSERT INTO settings VALUES ('mark', 'old')")
	tg.before = content(t, tg.dir)
	return tg
}

func (tg target) requireRefused(t testing.TB, backup []byte, says string) {
	t.Helper()
	_, err := Restore(t.Context(), written(t, backup), tg.path, true, nil)
	require.ErrorContains(t, err, says)
	require.NotContains(t, err.Error(), "\n")
	require.Equal(t, tg.before, content(t, tg.dir))
}

// written returns a file with a backup.
func written(t testing.TB, backup []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup")
	writeFile(t, file, backup)
	return file
}

func emptyAt(t testing.TB, path string) {
	t.Helper()
	require.NoError(t, opened(t, path, store.Options{}).Close())
}

const anIdentity = "00112233445566778899aabbccddeeff"

// sealed returns a backup of any content, with a valid manifest and seal except for the effect of change.
func sealed(t testing.TB, raw []byte, change func(*store.Manifest)) []byte {
	t.Helper()
	var b bytes.Buffer
	out := store.NewDigest(&b)
	packer, err := zstd.NewWriter(out)
	require.NoError(t, err)
	in := store.NewDigest(packer)
	_, err = in.Write(raw)
	require.NoError(t, err)
	require.NoError(t, packer.Close())
	m := store.Manifest{
		Format: store.BackupFormat, Engine: Scheme, Schema: store.SchemaVersion, Identity: anIdentity, Bytes: in.Bytes,
		SHA256: in.Sum(),
	}
	change(&m)
	require.NoError(t, m.Seal(out))
	return b.Bytes()
}

func TestRestore_Damage(t *testing.T) {
	testenv.Long(t)
	whole := smallBackup(t)
	tg := newTarget(t)
	same := func(*store.Manifest) {}
	edited := func(edit func(b []byte) []byte) []byte { return edit(bytes.Clone(whole)) }
	frame := bytes.LastIndex(whole, []byte("\x5B\x2A\x4D\x18"))
	packed, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	damaged := readFile(t, tinyDatabase(t))
	clear(damaged[len(damaged)/2/4096*4096:][:4096])
	other := newTarget(t)
	execute(t, other.path, "UPDATE settings SET value = '2' WHERE name = 'schema.version'")
	for name, c := range map[string]struct {
		backup []byte
		says   string
	}{
		"Empty":         {nil, "is not a backup"},
		"Text":          {bytes.Repeat([]byte("no backup "), 10_000), "is not a backup"},
		"Database":      {[]byte(tg.before["b.db"]), "is not a backup"},
		"OtherZstd":     {packed.EncodeAll([]byte("<a/>"), nil), "is not a backup"},
		"NoManifest":    {whole[:frame], "is not a backup"},
		"ManifestAlone": {whole[frame:], "is damaged"},
		"Trailing":      {edited(func(b []byte) []byte { return append(b, "rubbish"...) }), "has 7 bytes after its end"},
		"Twice":         {append(bytes.Clone(whole), whole...), "is damaged"},
		"LongFrame": {
			edited(func(b []byte) []byte { binary.LittleEndian.PutUint32(b[frame+4:], 1<<31); return b }), "is cut off",
		},
		"NoDatabase":  {sealed(t, []byte("text"), same), "the database in the backup is damaged"},
		"DamagedPage": {sealed(t, damaged, same), "the database in the backup is damaged"},
		"OtherEngine": {sealed(t, []byte("text"), func(m *store.Manifest) { m.Engine = "postgres" }), "not of sqlite"},
		"NewerSchema": {sealed(t, []byte("text"), func(m *store.Manifest) { m.Schema = 99 }), "schema version 99"},
		"OtherSchema": {
			sealed(t, readFile(t, other.path), same), "schema version 2 and identity",
		},
		"NoSchema":       {sealed(t, []byte("text"), func(m *store.Manifest) { m.Schema = 0 }), "an invalid format"},
		"NoIdentity":     {sealed(t, []byte("text"), func(m *store.Manifest) { m.Identity = "" }), "cannot be restored"},
		"NewerFormat":    {sealed(t, []byte("text"), func(m *store.Manifest) { m.Format = 2 }), "format 2"},
		"WrongLength":    {sealed(t, []byte("text"), func(m *store.Manifest) { m.Bytes++ }), "4 bytes instead of 5"},
		"Bomb":           {sealed(t, make([]byte, 64<<20), func(m *store.Manifest) { m.Bytes = 1 }), "more than the 1 bytes"},
		"WrongSum":       {sealed(t, []byte("text"), func(m *store.Manifest) { m.SHA256 = "00" }), "SHA-256 of the database"},
		"ManifestIsText": {changed(t, whole, `{"format"`, `["format"`), "manifest cannot be read"},
	} {
		t.Run(name, func(t *testing.T) { tg.requireRefused(t, c.backup, c.says) })
	}
	t.Run("Truncated", func(t *testing.T) {
		for n := 0; n < len(whole); n += 1 + n%7 {
			tg.requireRefused(t, whole[:n], "backup") // at least the file's name
		}
	})
	t.Run("Flipped", func(t *testing.T) {
		for i := range whole {
			tg.requireRefused(t, edited(func(b []byte) []byte { b[i] ^= 1 << (i % 8); return b }), "backup")
		}
	})
	// The refusals prove something only if the intact backup is accepted.
	_, err = Restore(t.Context(), written(t, whole), tg.path, true, nil)
	require.NoError(t, err)
	require.NotEqual(t, tg.before, content(t, tg.dir))
}

// A database that is being read is not replaced.
func TestRestore_BeingRead(t *testing.T) {
	testenv.Long(t)
	s, file, tried := tinyStore(t), written(t, smallBackup(t)), false
	_, _, err := Backup(t.Context(), s.path, io.Discard, func(int64, int64) {
		if tried {
			return
		}
		tried = true
		insert(t, s, 10_000_000)
		require.NoError(t, s.Close()) // the lock is free only while the store is closed
		_, err := Restore(t.Context(), file, s.path, true, nil)
		require.ErrorContains(t, err, "is being read by another process")
	})
	require.NoError(t, err)
	require.True(t, tried)
	require.Empty(t, halvesOf(t, s.path))
}

// A restore replaces a damaged database, removes its journal and keeps the mode of the file.
func TestRestore_OverDamage(t *testing.T) {
	file := written(t, smallBackup(t))
	for name, damage := range map[string]func(b []byte) []byte{
		"Zeros": func(b []byte) []byte { clear(b[100:]); return b },
		"Cut":   func(b []byte) []byte { return b[:5000] },
	} {
		t.Run(name, func(t *testing.T) {
			tg := newTarget(t)
			require.NoError(t, os.Chmod(tg.path, 0o600))
			writeFile(t, tg.path, damage([]byte(tg.before["b.db"])))
			writeFile(t, tg.path+"-wal", []byte("rubbish"))
			_, err := Restore(t.Context(), file, tg.path, true, nil)
			require.NoError(t, err)
			require.Equal(t, []string{"b.db"}, entries(t, tg.dir))
			findings, _ := verified(t, tg.path)
			require.Empty(t, findings)
			info, err := os.Stat(tg.path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		})
	}
}
