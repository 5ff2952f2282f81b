package audit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/audit"
	"brokerage/internal/testenv"
)

func record(id string) audit.Record {
	return audit.Record{
		Time: time.Unix(1_700_000_000, 0).UTC(), Client: "ann", Address: "192.0.2.1", Transaction: "delete_order",
		IDs: map[string]string{"order": "7"}, Outcome: "ok", Status: 204, RequestID: id,
	}
}

// ids returns the request ids of the lines, each of which must be one record.
func ids(t testing.TB, text string) (ids []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		var r audit.Record
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		ids = append(ids, r.RequestID)
	}
	return ids
}

func TestLog_Record(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l, err := audit.Open(path, func(err error) { t.Error(err) })
	require.NoError(t, err)
	l.Record(record("a"))
	text := testenv.Text(t, path)
	require.JSONEq(t, `{"time":"2023-11-14T22:13:20Z","client":"ann","address":"192.0.2.1","transaction":"delete_order",
		"ids":{"order":"7"},"outcome":"ok","status":204,"request_id":"a"}`, text)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, l.Close())

	l, err = audit.Open(path, nil)
	require.NoError(t, err)
	l.Record(record("b"))
	require.NoError(t, l.Close())
	text = testenv.Text(t, path)
	require.Equal(t, []string{"a", "b"}, ids(t, text))

	_, err = audit.Open(t.TempDir(), nil)
	require.ErrorContains(t, err, "the audit log")
}

func TestLog_Together(t *testing.T) {
	var out bytes.Buffer
	l := audit.To(&out, nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 100 {
				l.Record(record(fmt.Sprint(i, "-", j)))
			}
		})
	}
	all.Wait()
	require.Len(t, ids(t, out.String()), 800)
}

// A file that is moved away, as by logrotate, is no longer written, and a new one is started.
func TestLog_Moved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l, err := audit.Open(path, nil)
	require.NoError(t, err)
	l.Record(record("a"))
	require.NoError(t, os.Rename(path, path+".1"))
	l.Record(record("b"))
	require.NoError(t, os.Remove(path))
	l.Record(record("c"))
	require.NoError(t, l.Close())
	for file, want := range map[string]string{path + ".1": "a", path: "c"} {
		require.Equal(t, []string{want}, ids(t, testenv.Text(t, file)))
	}
}

// full is a writer with room for a number of bytes.
type full struct {
	bytes.Buffer

	room int
}

func (f *full) Write(b []byte) (int, error) {
	n := min(len(b), f.room)
	f.room -= n
	_, _ = f.Buffer.Write(b[:n])
	if n < len(b) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// Records that cannot be written are written later, in order, and none is written twice; half a line does not damage
// another.
func TestLog_Full(t *testing.T) {
	var told []error
	out := &full{room: 1000}
	l := audit.To(out, func(err error) { told = append(told, err) })
	n := 0
	for ; l.Ready() == nil; n++ {
		l.Record(record(fmt.Sprint(n)))
	}
	require.Greater(t, n, 3)
	require.Len(t, told, 1)
	require.ErrorIs(t, told[0], io.ErrShortWrite)
	l.Record(record(fmt.Sprint(n))) // a write that was running
	require.Error(t, l.Ready())
	require.Len(t, told, 1, "a fault is told once")

	out.room = 1 << 20
	require.NoError(t, l.Ready())
	require.Len(t, told, 2)
	require.NoError(t, told[1])
	l.Record(record(fmt.Sprint(n + 1)))
	require.NoError(t, l.Close())
	want := make([]string, n+2)
	for i := range want {
		want[i] = fmt.Sprint(i)
	}
	var whole []string
	for line := range strings.Lines(out.String()) {
		if json.Valid([]byte(line)) {
			whole = append(whole, ids(t, line)...)
		}
	}
	require.Equal(t, want, whole)
}

// While nothing can be written, the kept records are bounded: refusals, of which a client can cause any number, by a
// low limit, writes by a far higher one. Lost records are counted, and the log itself records that as soon as it can.
func TestLog_Bounded(t *testing.T) {
	var told []error
	out := &full{}
	l := audit.To(out, func(err error) { told = append(told, err) })
	l.Record(record("first"))
	require.Len(t, told, 1)
	refusal := record(strings.Repeat("x", 1000))
	refusal.Status, refusal.Outcome = 403, "forbidden"
	const many = 50_000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range many {
		l.Record(refusal)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20))
	kept, lost := l.Backlog()
	require.Less(t, kept, 2000)
	require.EqualValues(t, many+1-kept, lost)
	require.Len(t, told, 2, "that records are lost is told once")
	require.ErrorContains(t, told[1], "further ones are only counted")
	l.Record(record("a write that was under way"))
	stillLost := func() int64 { _, lost := l.Backlog(); return lost }
	require.Equal(t, lost, stillLost())

	out.room = 10 << 20
	require.NoError(t, l.Ready())
	require.Equal(t, []error{audit.Lost(lost), nil}, told[2:])
	kept, _ = l.Backlog()
	require.Zero(t, kept)
	require.Equal(t, lost, stillLost(), "a counter never falls")
	text := out.String()
	require.Contains(t, text, `"a write that was under way"`)
	require.Equal(t, 1, strings.Count(text, fmt.Sprintf(`"outcome":"lost","status":0,"request_id":"","lost":%d`, lost)),
		text[max(0, len(text)-400):])
	l.Record(record("last"))
	require.NoError(t, l.Close())
	require.True(t, strings.HasSuffix(out.String(), `"request_id":"last"}`+"\n"))
}

// Writes are bounded too, far beyond the number that ever runs at once.
func TestLog_BoundedWrites(t *testing.T) {
	l := audit.To(&full{}, func(error) {})
	const many = 120_000
	r := record("a")
	for range many {
		l.Record(r)
	}
	kept, lost := l.Backlog()
	require.Less(t, kept, many)
	require.EqualValues(t, many, int64(kept)+lost)
	require.ErrorContains(t, l.Close(), fmt.Sprint(many, " records are lost"))
}

// The same on a disk that is really full.
func TestLog_DiskFull(t *testing.T) {
	dir := testenv.SmallDisk(t, "256k")
	path := filepath.Join(dir, "audit.log")
	l, err := audit.Open(path, func(error) {})
	require.NoError(t, err)
	ballast := testenv.FillDisk(t, dir, 0)
	n := 0
	for ; l.Ready() == nil && n < 10000; n++ {
		l.Record(record(fmt.Sprint(n)))
	}
	require.Error(t, l.Ready())
	require.NoError(t, os.Remove(ballast))
	require.NoError(t, errors.Join(l.Ready(), l.Close()))
	require.Len(t, ids(t, testenv.Text(t, path)), n)
}
