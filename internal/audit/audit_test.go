package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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
	l, err := audit.Open(path, audit.Options{Fault: func(err error) { t.Error(err) }})
	require.NoError(t, err)
	l.Record(record("a"))
	text := testenv.Text(t, path)
	require.JSONEq(t, `{"time":"2023-11-14T22:13:20Z","client":"ann","address":"192.0.2.1","transaction":"delete_order",
		"ids":{"order":"7"},"outcome":"ok","status":204,"request_id":"a"}`, text)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, l.Close())

	l, err = audit.Open(path, audit.Options{})
	require.NoError(t, err)
	l.Record(record("b"))
	require.NoError(t, l.Close())
	text = testenv.Text(t, path)
	require.Equal(t, []string{"a", "b"}, ids(t, text))

	_, err = audit.Open(t.TempDir(), audit.Options{})
	require.ErrorContains(t, err, "the audit log")
}

// A pipe whose reader stalls would stop all writes, so it is refused, at once and also when it appears later.
func TestLog_Pipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no named pipes in folders")
	}
	path := filepath.Join(t.TempDir(), "audit.log")
	l, err := audit.Open(path, audit.Options{Fault: func(error) {}})
	require.NoError(t, err)
	require.NoError(t, os.Rename(path, path+".1"))
	require.NoError(t, exec.CommandContext(t.Context(), "mkfifo", path).Run())
	pipe, err := os.OpenFile(path, os.O_RDWR, 0) // so that a log that opens it by mistake does not wait
	require.NoError(t, err)
	defer func() { _ = pipe.Close() }()
	const says = "open the audit log: %s is a pipe, whose reader could stop all writes"
	_, err = audit.Open(path, audit.Options{})
	require.EqualError(t, err, fmt.Sprintf(says, path))
	require.EqualError(t, l.Reopen(), fmt.Sprintf(says, path))
	l.Record(record("a"))
	require.Error(t, l.Ready())
	require.NoError(t, os.Remove(path))
	require.NoError(t, l.Ready())
	require.NoError(t, l.Close())
	require.Equal(t, []string{"a"}, ids(t, testenv.Text(t, path)))
}

// A file that is moved away, as by logrotate, is no longer written, and a new one is started.
func TestLog_Moved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l, err := audit.Open(path, audit.Options{})
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
	l := audit.To(out, audit.Options{Fault: func(err error) { told = append(told, err) }})
	n := 0
	for ; l.Ready() == nil; n++ {
		l.Record(record(fmt.Sprint(n)))
	}
	require.Greater(t, n, 3)
	require.Len(t, told, 1)
	require.ErrorIs(t, told[0], io.ErrShortWrite)
	l.Record(record(fmt.Sprint(n))) // a write that was running
	require.Error(t, l.Ready())
	require.Len(t, told, 1, "a fault is reported once")

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
		if json.Valid([]byte(line)) && !strings.Contains(line, `"outcome":"torn"`) {
			whole = append(whole, ids(t, line)...)
		}
	}
	require.Equal(t, want, whole)
	require.Equal(t, 1, strings.Count(out.String(), `"outcome":"torn"`))
}

// refusal returns the record of a client's refusal in the given minute.
func refusal(client string, minute int) audit.Record {
	r := record("refused")
	r.Client, r.Status, r.Outcome, r.Time = client, 403, "forbidden", r.Time.Add(time.Duration(minute)*time.Minute)
	return r
}

// outcomes counts the records of each client by outcome, and the refusals that have no record as left-out.
func outcomes(t testing.TB, text string) map[string]int64 {
	t.Helper()
	all := make(map[string]int64)
	for line := range strings.Lines(text) {
		var r audit.Record
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		all[r.Client+" "+r.Outcome] += max(r.LeftOut, 1)
	}
	return all
}

// Ten refusals of each client are recorded in a minute, and the others counted, also those beyond 1,000 clients.
func TestLog_Refusals(t *testing.T) {
	var out bytes.Buffer
	l := audit.To(&out, audit.Options{})
	for range 25 {
		l.Record(refusal("eve", 0))
		l.Record(refusal("", 0)) // of an address
	}
	l.Record(refusal("ann", 0))
	l.Record(record("a write"))
	require.Equal(t, map[string]int64{"eve forbidden": 10, " forbidden": 10, "ann forbidden": 1, "ann ok": 1},
		outcomes(t, out.String()))
	out.Reset()
	l.Record(refusal("eve", 1))
	require.Equal(t, map[string]int64{"eve left-out": 15, " left-out": 15, "eve forbidden": 1}, outcomes(t, out.String()))
	require.Contains(t, out.String(), `"client":"eve","address":"192.0.2.1","transaction":"","outcome":"left-out",`+
		`"status":403,"request_id":"","left_out":15}`)
	out.Reset()
	for n := range 1500 {
		l.Record(refusal(fmt.Sprint("client-", n), 1))
	}
	require.NoError(t, l.Close())
	all := outcomes(t, out.String())
	require.Equal(t, int64(1), all["client-998 forbidden"])
	require.Equal(t, int64(501-10), all[" left-out"])
	require.Less(t, len(all), 1020)
}

// Every refusal counts towards the ten a minute, whatever its status. What may have been a write is always recorded.
func TestLog_Statuses(t *testing.T) {
	for status, refused := range map[int]bool{
		200: false, 201: false, 204: false, 499: false, 500: false, 503: false, 504: false,
		400: true, 401: true, 403: true, 404: true, 409: true, 412: true, 413: true, 415: true, 422: true,
	} {
		var out bytes.Buffer
		l := audit.To(&out, audit.Options{})
		for range 25 {
			r := record("a")
			r.Status = status
			l.Record(r)
		}
		require.NoError(t, l.Close())
		want := map[string]int64{"ann ok": 25}
		if refused {
			want = map[string]int64{"ann ok": 10, "ann left-out": 15}
		}
		require.Equal(t, want, outcomes(t, out.String()), status)
	}
}

// Until Close, refusals never take the last tenth of the room, not even to record how many there were.
func TestLog_Room(t *testing.T) {
	var out bytes.Buffer
	free := 100.0
	l := audit.To(&out, audit.Options{Room: func() (float64, float64, bool) { return free, 1000, true }})
	for minute := range 3 {
		l.Record(refusal("eve", minute))
	}
	require.Empty(t, out.String())
	l.Record(record("a write"))
	free = 101
	l.Record(refusal("eve", 3))
	require.NoError(t, l.Close())
	require.Equal(t, map[string]int64{"ann ok": 1, "eve left-out": 3, "eve forbidden": 1}, outcomes(t, out.String()))
}

// An unfinished last line is ended and marked when the file is opened.
func TestLog_Torn(t *testing.T) {
	const torn = `{"time":"2023-11-14T22:13:20Z","client":"ann","addr`
	path := testenv.File(t, "audit.log", torn)
	for range 2 { // the second finds nothing to end
		l, err := audit.Open(path, audit.Options{})
		require.NoError(t, err)
		lines := strings.Split(testenv.Text(t, path), "\n")
		require.Equal(t, []string{torn}, lines[:1])
		require.Contains(t, lines[1], `"outcome":"torn"`)
		require.Equal(t, []string{""}, lines[2:])
		require.NoError(t, l.Close())
	}
}

// Reopen continues in the file that has the name now, also one that logrotate has made.
func TestLog_Reopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l, err := audit.Open(path, audit.Options{})
	require.NoError(t, err)
	l.Record(record("a"))
	require.NoError(t, os.Rename(path, path+".1"))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, l.Reopen())
	l.Record(record("b"))
	require.NoError(t, os.Rename(path, path+".2"))
	require.NoError(t, os.WriteFile(path, []byte("another file"), 0o600))
	require.ErrorContains(t, l.Reopen(), "is not an audit log")
	require.NoError(t, os.Remove(path))
	require.NoError(t, l.Reopen())
	l.Record(record("c"))
	require.NoError(t, l.Close())
	for file, want := range map[string]string{path + ".1": "a", path + ".2": "b", path: "c"} {
		require.Equal(t, []string{want}, ids(t, testenv.Text(t, file)))
	}
	require.NoError(t, audit.To(io.Discard, audit.Options{}).Reopen())
}

// While nothing can be written, the kept records are bounded, far beyond the number of writes that ever run at once.
// Lost ones are counted, and the log itself records that as soon as it can.
func TestLog_Bounded(t *testing.T) {
	var told []error
	out := &full{}
	l := audit.To(out, audit.Options{Fault: func(err error) { told = append(told, err) }})
	const many = 120_000
	r := record("a")
	for range many {
		l.Record(r)
	}
	kept, lost := l.Backlog()
	require.Less(t, kept, many)
	require.EqualValues(t, many, int64(kept)+lost)
	require.Len(t, told, 2, "a loss is logged once")
	require.ErrorContains(t, told[1], "further ones are lost")

	out.room = 100 << 20
	require.NoError(t, l.Ready())
	require.Equal(t, []error{audit.Lost(lost), nil}, told[2:])
	still, all := l.Backlog()
	require.Zero(t, still)
	require.Equal(t, lost, all, "a counter never falls")
	text := out.String()
	require.Equal(t, 1, strings.Count(text, fmt.Sprintf(`"outcome":"lost","status":0,"request_id":"","lost":%d}`, lost)))
	require.Equal(t, kept+1, strings.Count(text, "\n"))

	out.room = 0
	l.Record(r)
	require.ErrorContains(t, l.Close(), "1 records are lost")
}
