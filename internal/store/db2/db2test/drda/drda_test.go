package drda

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// object returns an object of a structure: length, code point, content.
func object(codePoint uint16, content []byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(len(content)+objectHead))
	return append(binary.BigEndian.AppendUint16(b, codePoint), content...)
}

// wrapped returns a structure with objects in it.
func wrapped(objects ...[]byte) structure {
	all := bytes.Join(objects, nil)
	b := binary.BigEndian.AppendUint16(nil, uint16(len(all)+firstObject))
	return append(append(b, 0xd0, 0x03, 0, 1), all...)
}

// sane checks that lengths match their contents.
func sane(t *testing.T, s structure) {
	t.Helper()
	require.EqualValues(t, len(s), binary.BigEndian.Uint16(s))
	at := firstObject
	for at < len(s) {
		at = s.after(at)
	}
	require.Equal(t, len(s), at)
}

// card returns an SQLCARD with tokens.
func card(state, tokens string) []byte {
	content := append([]byte{0, 0xff, 0xff, 0xb1, 0xdf}, state...)
	content = append(content, "CSS10140"...)
	content = append(content, 0) // there is more
	content = append(content, make([]byte, 6*4+11)...)
	content = append(content, 0, 2, 'D', 'B')
	content = binary.BigEndian.AppendUint16(content, uint16(len(tokens)))
	content = append(content, tokens...)
	return object(codeSQLCARD, append(content, 0, 0, 0xff))
}

func TestSQLCARD(t *testing.T) {
	for name, c := range map[string]struct {
		state, tokens string
		sqlcode       int32
		sqlstate      string
		want          string
	}{
		"Deadlock":  {"40001", "the cycle of locks and transactions", -911, "40001", "2"},
		"Timeout":   {"40XL1", "", -911, "40001", "68"},
		"Duplicate": {"23505", "SQL1234", -803, "23505", "SQL1234"},
		"Invalid":   {"38W02", strings.Repeat("x", 200), -16196, "2200M", strings.Repeat("x", 70)},
		"Unknown":   {"XJ001", strings.Repeat("x", 71), -20001, "XJ001", strings.Repeat("x", 70)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, before := range []int{0, 1} { // alone, and after the failure to open a query
				s, at := wrapped(card(c.state, c.tokens)), firstObject
				if before > 0 {
					s = wrapped(object(codeOPNQFLRM, []byte{0, 6, 0x11, 0x49, 0, 8}), card(c.state, c.tokens))
					at = s.after(firstObject)
				}
				got, err := (&Proxy{}).reply(s)
				require.NoError(t, err)
				sane(t, got)
				require.Equal(t, uint32(c.sqlcode), binary.BigEndian.Uint32(got[at+sqlcodeAt:]))
				require.Equal(t, c.sqlstate, string(got[at+sqlstateAt:at+sqlstateAt+sqlstateLen]))
				start := afterText(got, at+rdbNameAt)
				require.Equal(t, "DB", string(got[at+rdbNameAt+2:start]))
				require.Equal(t, c.want, string(got[start+2:afterText(got, start)]))
			}
		})
	}
}

func TestSQLCARD_Null(t *testing.T) {
	s := wrapped(object(codeSQLCARD, []byte{0xff}))
	got, err := (&Proxy{}).reply(bytes.Clone(s))
	require.NoError(t, err)
	require.Equal(t, s, got)
}

func TestSQLSTT(t *testing.T) {
	text := func(s string) []byte {
		return append(append([]byte{0}, binary.BigEndian.AppendUint32(nil, uint32(len(s)))...), s...)
	}
	p := &unit{Proxy: &Proxy{
		rewrite: func(s string) string { return strings.ReplaceAll(s, "XMLQUERY", "BENCH.XQ") + " more" },
	}}
	got, err := p.request(wrapped(object(codeSQLSTT, append(text("SELECT XMLQUERY('ü')"), 0xff))))
	require.NoError(t, err)
	sane(t, got)
	require.Equal(t, wrapped(object(codeSQLSTT, append(text("SELECT BENCH.XQ('ü') more"), 0xff))), got)
	_, err = p.request(wrapped(object(codeSQLSTT, append(text(strings.Repeat("x", longest-20)), 0xff))))
	require.ErrorContains(t, err, "continuations")
	_, err = p.request(wrapped(object(codeSQLSTT, []byte{0, 0, 0, 1, 0, 'x'})))
	require.ErrorContains(t, err, "another segment")
}

func TestDSCSQLSTT(t *testing.T) {
	section, instance := object(0x2113, []byte("section")), object(codeQRYINSID, make([]byte, 8))
	got, err := (&unit{}).request(wrapped(object(codeDSCSQLSTT, append(bytes.Clone(section), instance...))))
	require.NoError(t, err)
	require.Equal(t, wrapped(object(codeDSCSQLSTT, section)), got)
}

func TestHandshake(t *testing.T) {
	p := &unit{Proxy: &Proxy{}}
	got, err := p.request(wrapped(object(codeACCRDB, append([]byte{0, 12, 0x11, 0x2e}, "SQL12014"...))))
	require.NoError(t, err)
	require.Equal(t, wrapped(object(codeACCRDB, append([]byte{0, 12, 0x11, 0x2e}, derbysOwn...))), got)

	got, err = p.request(wrapped(object(codeEXCSAT, unicodeMgr)))
	require.NoError(t, err)
	require.Equal(t, wrapped(object(codeEXCSAT, noUnicode)), got)

	got, err = p.reply(wrapped(object(codeACCSECRD,
		[]byte{0, 6, 0x11, 0xa2, 0, 3, 0, 6, 0x11, 0xa2, 0, 4, 0, 6, 0x11, 0xa2, 0, 8, 0, 5, 0x11, 0xa4, 1})))
	require.NoError(t, err)
	require.Equal(t, wrapped(object(codeACCSECRD, []byte{0, 6, 0x11, 0xa2, 0, 3})), got)

	typdef := []byte{0x00, 0x35, 0x00, 0x06, 0x11, 0x9c, 0x04, 0xb8, 0x00, 0x06, 0x11, 0x9e, 0x04, 0xb8}
	nested := []byte{0x00, 0x05, 0x21, 0x4d, 'x'}
	whole := append(append([]byte{0, byte(2 + len(typdef) + len(nested))}, typdef...), nested...)
	got, err = p.reply(wrapped(object(codeACCRDBRM, append([]byte{0, 4, 1, 2}, whole...))))
	require.NoError(t, err)
	require.Equal(t, wrapped(object(codeACCRDBRM, append([]byte{0, 4, 1, 2, 0, 16}, typdef...))), got)
}

// A structure that continues in another segment passes unchanged.
func TestReadStructure(t *testing.T) {
	first := append([]byte{0x80, 0x08, 0xd0, 0x03, 0, 1}, 'a', 'b')
	second := []byte{0, 5, 'c', 'd', 'e'}
	wire := append(bytes.Clone(first), second...)
	r := bufio.NewReader(bytes.NewReader(append(bytes.Clone(wire), 0, 1)))
	s, err := readStructure(r)
	require.NoError(t, err)
	require.Equal(t, structure(wire), s)
	_, err = readStructure(r)
	require.ErrorContains(t, err, "a DRDA segment of 1 bytes")
}

// echo returns a server that sends back what it receives.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn) }()
		}
	}()
	return listener.Addr().String()
}

func TestProxy(t *testing.T) {
	p, err := Start("127.0.0.1:0", echo(t), func(s string) string { return s })
	require.NoError(t, err)
	dial := func() net.Conn {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.Addr().String())
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
		return conn
	}
	message := wrapped(object(0x1234, []byte("hello")))
	exchange := func(conn net.Conn) error {
		if _, err := conn.Write(message); err != nil {
			return err
		}
		got := make([]byte, len(message))
		_, err := io.ReadFull(conn, got)
		if err == nil {
			require.Equal(t, []byte(message), got)
		}
		return err
	}
	conn := dial()
	require.NoError(t, exchange(conn))
	require.Equal(t, 1, p.Connections())
	p.Cut()
	require.Error(t, exchange(conn))
	require.Zero(t, p.Connections())

	require.NoError(t, exchange(dial()))
	require.NoError(t, p.Close())
	gone, err := Start("127.0.0.1:0", "127.0.0.1:1", nil)
	require.NoError(t, err)
	p = gone
	require.Error(t, exchange(dial()))
	require.NoError(t, p.Close())
}
