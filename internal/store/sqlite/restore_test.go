package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/archive"
)

// smallBackup is a backup of a store without documents: a few kilobytes.
func smallBackup(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	_, err := Backup(t.Context(), empty(t).path, &b, nil)
	require.NoError(t, err)
	return b.Bytes()
}

// target is a folder with a database, which a refused restore must not touch.
type target struct {
	dir, path string
	before    map[string]string
}

func newTarget(t testing.TB) target {
	t.Helper()
	dir := t.TempDir()
	tg := target{dir: dir, path: filepath.Join(dir, "b.db")}
	emptyAt(t, tg.path)
	execute(t, tg.path, "INSERT INTO settings VALUES ('mark', 'old')")
	tg.before = content(t, tg.dir)
	return tg
}

func (tg target) requireRefused(t testing.TB, backup []byte, says string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup")
	require.NoError(t, os.WriteFile(file, backup, 0o666))
	_, err := Restore(t.Context(), file, tg.path, true, nil)
	require.ErrorContains(t, err, says)
	require.NotContains(t, err.Error(), "\n")
	require.Equal(t, tg.before, content(t, tg.dir))
}

// sealed is a backup of anything, with a manifest and a seal that are right but for what change does.
func sealed(t testing.TB, raw []byte, change func(*Manifest)) []byte {
	t.Helper()
	var b bytes.Buffer
	out := archive.NewDigest(&b)
	packer, err := zstd.NewWriter(out)
	require.NoError(t, err)
	in := archive.NewDigest(packer)
	_, err = in.Write(raw)
	require.NoError(t, err)
	require.NoError(t, packer.Close())
	m := Manifest{Format: archive.Format, Schema: newest(t), Bytes: in.Bytes, SHA256: in.Sum()}
	change(&m)
	require.NoError(t, m.Seal(out))
	return b.Bytes()
}

func TestRestore_Damage(t *testing.T) {
	whole := smallBackup(t)
	tg := newTarget(t)
	same := func(*Manifest) {}
	edited := func(edit func(b []byte) []byte) []byte { return edit(bytes.Clone(whole)) }
	frame := bytes.LastIndex(whole, []byte(archive.Skippable))
	packed, err := zstd.NewWriter(nil)
	require.NoError(t, err)
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
		"Trailing":      {edited(func(b []byte) []byte { return append(b, "rubbish"...) }), "has 7 bytes behind its end"},
		"Twice":         {append(bytes.Clone(whole), whole...), "is damaged"},
		"LongFrame": {
			edited(func(b []byte) []byte { binary.LittleEndian.PutUint32(b[frame+4:], 1<<31); return b }), "is cut off",
		},
		"NoDatabase":  {sealed(t, []byte("text"), same), "the database in the backup is damaged"},
		"DamagedPage": {sealed(t, damagedDatabase(t), same), "the database in the backup is damaged"},
		"NewerSchema": {sealed(t, []byte("text"), func(m *Manifest) { m.Schema = 99 }), "schema version 99"},
		"NoSchema":    {sealed(t, []byte("text"), func(m *Manifest) { m.Schema = 0 }), "makes no sense"},
		"OtherSchema": {
			sealed(t, otherVersion(t), same), fmt.Sprintf("schema version %d instead of %d", newest(t)+1, newest(t)),
		},
		"NewerFormat":    {sealed(t, []byte("text"), func(m *Manifest) { m.Format = 2 }), "format 2"},
		"WrongLength":    {sealed(t, []byte("text"), func(m *Manifest) { m.Bytes++ }), "4 bytes instead of 5"},
		"Bomb":           {sealed(t, make([]byte, 64<<20), func(m *Manifest) { m.Bytes = 1 }), "more than the 1 bytes"},
		"WrongSum":       {sealed(t, []byte("text"), func(m *Manifest) { m.SHA256 = "00" }), "SHA-256 of the database"},
		"ManifestIsText": {replaced(t, whole, `{"format"`, `["format"`), "manifest cannot be read"},
	} {
		t.Run(name, func(t *testing.T) { tg.requireRefused(t, c.backup, c.says) })
	}
	t.Run("Truncated", func(t *testing.T) {
		for n := 0; n < len(whole); n += 1 + n%7 {
			tg.requireRefused(t, whole[:n], "backup") // the file's name, at the least
		}
	})
	t.Run("Flipped", func(t *testing.T) {
		for i := range whole {
			tg.requireRefused(t, edited(func(b []byte) []byte { b[i] ^= 1 << (i % 8); return b }), "backup")
		}
	})
	// That all this was refused says something only if the whole is not.
	_, err = Restore(t.Context(), written(t, whole), tg.path, true, nil)
	require.NoError(t, err)
	require.NotEqual(t, tg.before, content(t, tg.dir))
}

func otherVersion(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.db")
	emptyAt(t, path)
	execute(t, path, fmt.Sprintf("PRAGMA user_version = %d", newest(t)+1))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

func replaced(t testing.TB, b []byte, old, replacement string) []byte {
	t.Helper()
	changed := bytes.Replace(b, []byte(old), []byte(replacement), 1)
	require.NotEqual(t, b, changed)
	return changed
}

func damagedDatabase(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(tinyDatabase(t))
	require.NoError(t, err)
	copy(b[len(b)/2/4096*4096:], make([]byte, 4096))
	return b
}

func written(t testing.TB, backup []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup")
	require.NoError(t, os.WriteFile(file, backup, 0o666))
	return file
}

func TestRestore_Target(t *testing.T) {
	file := written(t, smallBackup(t))
	t.Run("New", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "b.db")
		m, err := Restore(t.Context(), file, path, false, nil)
		require.NoError(t, err)
		require.Equal(t, newest(t), m.Schema)
		require.Equal(t, []string{"b.db", "b.db-lock"}, entries(t, filepath.Dir(path)))
		findings, _ := verified(t, path)
		require.Empty(t, findings)
	})
	t.Run("There", func(t *testing.T) {
		tg := newTarget(t)
		_, err := Restore(t.Context(), file, tg.path, false, nil)
		require.ErrorContains(t, err, "is there already")
		require.Equal(t, tg.before, content(t, tg.dir))
	})
	t.Run("InUse", func(t *testing.T) {
		s := tinyStore(t)
		_, err := Restore(t.Context(), file, s.path, true, nil)
		require.ErrorContains(t, err, "is in use")
		require.NoError(t, s.Ready(t.Context()))
	})
	t.Run("BeingRead", func(t *testing.T) {
		path := tinyDatabase(t)
		s, err := Open(t.Context(), path, Options{})
		require.NoError(t, err)
		_, err = Backup(t.Context(), path, io.Discard, func(int64, int64) {
			// Only while the store is closed is the lock free.
			if s == nil {
				return
			}
			_, err := s.InsertOrder(t.Context(), now(), order(generator(t, "tiny"), 10_000_000))
			require.NoError(t, err)
			require.NoError(t, s.Close())
			s = nil
			_, err = Restore(t.Context(), file, path, true, nil)
			require.ErrorContains(t, err, "is being read by another process")
		})
		require.NoError(t, err)
		require.NotContains(t, entries(t, filepath.Dir(path)), filepath.Base(archive.HalfName(path)))
	})
	t.Run("NotADatabase", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "thesis")
		require.NoError(t, os.WriteFile(path, []byte("years of work"), 0o666))
		_, err := Restore(t.Context(), file, path, true, nil)
		require.ErrorContains(t, err, "is not a database")
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "years of work", string(b))
	})
	t.Run("Foreign", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "b.db")
		execute(t, path, "CREATE TABLE t (x)")
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		_, err = Restore(t.Context(), file, path, true, nil)
		require.ErrorContains(t, err, "not of this program")
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, before, after)
	})
	for name, damage := range map[string]func(b []byte) []byte{
		"Zeros":     func(b []byte) []byte { clear(b[100:]); return b },
		"Cut":       func(b []byte) []byte { return b[:5000] },
		"CutToZero": func([]byte) []byte { return nil },
	} {
		// It is for such that there are backups.
		t.Run("Damaged"+name, func(t *testing.T) {
			tg := newTarget(t)
			require.NoError(t, os.WriteFile(tg.path, damage([]byte(tg.before["b.db"])), 0o600))
			require.NoError(t, os.WriteFile(tg.path+"-wal", []byte("rubbish"), 0o600))
			_, err := Restore(t.Context(), file, tg.path, true, nil)
			require.NoError(t, err)
			require.Equal(t, []string{"b.db", "b.db-lock"}, entries(t, tg.dir))
			findings, _ := verified(t, tg.path)
			require.Empty(t, findings)
			info, err := os.Stat(tg.path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm()&^0o044)
		})
	}
	t.Run("Interrupted", func(t *testing.T) {
		tg := newTarget(t)
		for at := range 2 { // while it is checked, and while it is written
			ctx, cancel := context.WithCancel(t.Context())
			reports := 0
			_, err := Restore(ctx, file, tg.path, true, func(int64, int64) {
				if reports++; reports > at {
					cancel()
				}
			})
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, tg.before, content(t, tg.dir))
		}
	})
}

// A journal that a killed process left belongs to the old database: read as that of the new one it would destroy it.
func TestRestore_OverAJournal(t *testing.T) {
	path, file := tinyDatabase(t), filepath.Join(t.TempDir(), "backup")
	_, err := BackupTo(t.Context(), path, file, false, nil)
	require.NoError(t, err)
	killedWhileWriting(t, path)

	_, err = Restore(t.Context(), file, path, true, nil)
	require.NoError(t, err)
	require.NoFileExists(t, path+"-wal")
	findings, v := verified(t, path)
	require.Empty(t, findings)
	require.Equal(t, [...]int64{500, 200, 2000}, v.Documents, "nothing of the old one")
}

// killedWhileWriting leaves a database with a journal, and returns the orders that are only in it.
func killedWhileWriting(t testing.TB, path string) []int64 {
	t.Helper()
	cmd, a := startVictim(t, path)
	orders, _ := a.wait(100)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
	info, err := os.Stat(path + "-wal")
	require.NoError(t, err)
	require.NotZero(t, info.Size())
	return orders
}

// requireEither looks whether a database is the old one with all orders, or the dataset as it was loaded.
func requireEither(t testing.TB, path string, orders []int64) (restored bool) {
	t.Helper()
	findings, v := verified(t, path)
	require.Empty(t, findings)
	if v.Documents[dataset.Order] == generator(t, "tiny").Count(dataset.Order) {
		return true
	}
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for _, id := range orders {
		_, err := s.GetOrder(t.Context(), brokerage.ID(id))
		require.NoError(t, err, "order %d was answered", id)
	}
	return false
}

// A backup of before there were checksums becomes a database that has them.
func TestRestore_WithoutSums(t *testing.T) {
	dir := t.TempDir()
	old, file, path := versionOne(t, dir), filepath.Join(dir, "backup"), filepath.Join(dir, "b.db")
	before, err := os.ReadFile(old)
	require.NoError(t, err)
	_, err = BackupTo(t.Context(), old, file, false, nil)
	require.NoError(t, err)
	m, err := Restore(t.Context(), file, path, false, nil)
	require.NoError(t, err)
	require.Equal(t, 1, m.Schema)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, after), "as it was")
	requireOrder(t, path, Options{})
	requireVersion(t, path, newest(t))
	requireVersion(t, path+".version-1", 1)
	findings, _ := verified(t, path)
	require.Empty(t, findings)
}
