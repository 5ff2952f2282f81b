package access_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
	"brokerage/internal/testenv"
)

// write makes a file of tokens.
func write(t testing.TB, path string, lines ...string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
}

func load(t testing.TB, lines ...string) *access.Tokens {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	write(t, path, lines...)
	tokens, err := access.Load(path)
	require.NoError(t, err)
	return tokens
}

func line(name, scopes, token string) string {
	sum := sha256.Sum256([]byte(token))
	return name + ":" + scopes + ":" + hex.EncodeToString(sum[:])
}

func TestTokens_Client(t *testing.T) {
	tokens := load(t, "# the first two", "", line("alice", "read,trade", "sesame"), "  "+line("bob", "admin", "open")+"\r",
		line("carol", "read", "a b"))
	require.Equal(t, 3, tokens.Len())
	for name, c := range map[string]struct{ header, client string }{
		"First":          {"Bearer sesame", "alice"},
		"Second":         {"Bearer open", "bob"},
		"LowerCase":      {"bearer sesame", "alice"},
		"UpperCase":      {"BEARER sesame", "alice"},
		"InnerSpace":     {"Bearer a b", "carol"},
		"Empty":          {"", ""},
		"NoToken":        {"Bearer", ""},
		"EmptyToken":     {"Bearer ", ""},
		"OtherToken":     {"Bearer Sesame", ""},
		"Part":           {"Bearer sesam", ""},
		"Longer":         {"Bearer sesame1", ""},
		"TwoSpaces":      {"Bearer  sesame", ""},
		"Tab":            {"Bearer\tsesame", ""},
		"LeadingSpace":   {" Bearer sesame", ""},
		"TrailingSpace":  {"Bearer sesame ", ""},
		"OtherScheme":    {"Basic sesame", ""},
		"TokenAlone":     {"sesame", ""},
		"TheSumOfAToken": {"Bearer " + strings.TrimPrefix(line("alice", "read,trade", "sesame"), "alice:read,trade:"), ""},
		"Long":           {"Bearer " + strings.Repeat("x", 513), ""},
		"VeryLong":       {"Bearer " + strings.Repeat("x", 1<<20), ""},
	} {
		t.Run(name, func(t *testing.T) {
			client, ok := tokens.Client(t.Context(), c.header)
			require.Equal(t, c.client != "", ok)
			if !ok {
				require.Nil(t, client)
				return
			}
			require.Equal(t, c.client, client.Name)
		})
	}
}

func TestClient_May(t *testing.T) {
	tokens := load(t, line("alice", "trade,read", "a"), line("bob", "admin", "b"))
	for token, scopes := range map[string]map[access.Scope]bool{
		"a": {access.Read: true, access.Trade: true, access.Admin: false},
		"b": {access.Read: false, access.Trade: false, access.Admin: true},
	} {
		client, ok := tokens.Client(t.Context(), "Bearer "+token)
		require.True(t, ok)
		for _, scope := range access.Scopes {
			require.Equal(t, scopes[scope], client.May(scope), "%s %s", client.Name, scope)
		}
	}
}

func TestNewToken(t *testing.T) {
	seen := make(map[string]bool)
	for range 100 {
		token, line := access.NewToken(access.Client{Name: "alice", Scopes: []access.Scope{access.Read, access.Admin}})
		require.Len(t, token, 43) // 32 bytes
		require.False(t, seen[token])
		seen[token] = true
		require.NotContains(t, line, token)
		client, ok := load(t, line).Client(t.Context(), "Bearer "+token)
		require.True(t, ok)
		require.Equal(t, &access.Client{Name: "alice", Scopes: []access.Scope{access.Read, access.Admin}}, client)
	}
}

func TestAdd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	first, err := access.Add(path, access.Client{Name: "alice", Scopes: []access.Scope{access.Read}})
	require.NoError(t, err)
	// an editor that writes no line end after the last line
	require.NoError(t, os.WriteFile(path, []byte(strings.TrimSpace(testenv.Text(t, path))), 0o600))
	second, err := access.Add(path, access.Client{Name: "bob", Scopes: []access.Scope{access.Trade, access.Admin}})
	require.NoError(t, err)
	third, err := access.Add(path, access.Client{Name: "carol", Scopes: []access.Scope{access.Read}})
	require.NoError(t, err)

	tokens, err := access.Load(path) // Add has made it private
	require.NoError(t, err)
	for token, name := range map[string]string{first: "alice", second: "bob", third: "carol"} {
		client, ok := tokens.Client(t.Context(), "Bearer "+token)
		require.True(t, ok)
		require.Equal(t, name, client.Name)
	}

	text := testenv.Text(t, path)
	_, err = access.Add(path, access.Client{Name: "alice", Scopes: []access.Scope{access.Read}})
	require.ErrorContains(t, err, "has a token for alice already")
	_, err = access.Add(path, access.Client{Name: "a:b", Scopes: []access.Scope{access.Read}})
	require.ErrorContains(t, err, "is not a name")
	require.Equal(t, text, testenv.Text(t, path))

	write(t, path, "alice:nonsense")
	_, err = access.Add(path, access.Client{Name: "dan", Scopes: []access.Scope{access.Read}})
	require.ErrorContains(t, err, "line 1")
}

func TestLoad_Refusals(t *testing.T) {
	good := line("alice", "read", "a")
	for name, c := range map[string]struct{ line, says string }{
		"NoColon":       {"secret-token", "line 3: is not name:scope,scope:SHA-256"},
		"OneColon":      {"bob:secret-token", "line 3: is not name:scope,scope:SHA-256"},
		"TokenForSum":   {"bob:read:secret-token", "line 3: is not name:scope,scope:SHA-256"},
		"LongSum":       {line("bob", "read", "b") + "00", "line 3: is not"},
		"NoHex":         {"bob:read:" + strings.Repeat("g", 64), "line 3: is not"},
		"NoName":        {line("", "read", "b"), "line 3: is not"},
		"OddName":       {line("b b", "read", "b"), "line 3: is not"},
		"LongName":      {line(strings.Repeat("b", 65), "read", "b"), "line 3: is not"},
		"NoScope":       {line("bob", "", "b"), `line 3: "" is not a scope: scopes are read, trade and admin`},
		"UnknownScope":  {line("bob", "read,write", "b"), `line 3: "write" is not a scope`},
		"ScopeInCase":   {line("bob", "Read", "b"), `line 3: "Read" is not a scope`},
		"ScopeTwice":    {line("bob", "read,read", "b"), "line 3: the scope read is repeated"},
		"DuplicateName": {line("alice", "read", "b"), "line 3: the name alice is on line 2 already"},
		"SameToken":     {line("bob", "read", "a"), "line 3: the same token is on line 2 already"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tokens")
			write(t, path, "", good, c.line)
			_, err := access.Load(path)
			require.ErrorContains(t, err, path+", "+c.says)
			require.NotContains(t, err.Error(), "secret-token")
		})
	}
}

func TestLoad_File(t *testing.T) {
	dir := t.TempDir()
	_, err := access.Load(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = access.Load(dir)
	require.ErrorContains(t, err, "is not a file")

	path := filepath.Join(dir, "large")
	write(t, path, strings.Repeat("#", 5<<20))
	_, err = access.Load(path)
	require.ErrorContains(t, err, "is larger than 4.19 MB")

	path = filepath.Join(dir, "empty")
	write(t, path)
	tokens, err := access.Load(path)
	require.NoError(t, err)
	_, ok := tokens.Client(t.Context(), "Bearer x")
	require.False(t, ok)
}

func TestLoad_Mode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are no protection here")
	}
	path := filepath.Join(t.TempDir(), "tokens")
	for mode, open := range map[os.FileMode]bool{
		0o400: false, 0o600: false, 0o440: false, 0o640: false, 0o644: true, 0o604: true, 0o660: true, 0o602: true,
	} {
		write(t, path, line("alice", "read", "a"))
		require.NoError(t, os.Chmod(path, mode))
		_, err := access.Load(path)
		if open {
			require.ErrorContains(t, err, fmt.Sprintf("is open to others (its mode is %04o): chmod 600 %s", mode, path))
		} else {
			require.NoError(t, err)
		}
		require.NoError(t, os.Remove(path))
	}
}

// A file of another user, who could add tokens, is refused. A file of root that its group may read is accepted:
// Kubernetes gives such files to processes of other users.
func TestLoad_Owner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may give files away")
	}
	path := filepath.Join(t.TempDir(), "tokens")
	write(t, path, line("alice", "read", "a"))
	text := testenv.Text(t, path)
	const nobody = 65534
	require.NoError(t, os.Chown(path, nobody, -1))
	says := path + " belongs to user 65534, who could add tokens: chown it to root or to user 0, which reads it"
	_, err := access.Load(path)
	require.EqualError(t, err, says)
	_, err = access.Add(path, access.Client{Name: "bob", Scopes: []access.Scope{access.Read}})
	require.EqualError(t, err, says)
	require.Equal(t, text, testenv.Text(t, path))
	require.NoError(t, os.Chown(path, 0, nobody))
	require.NoError(t, os.Chmod(path, 0o440))
	_, err = access.Load(path)
	require.NoError(t, err)
}

// A pipe is refused at once, not opened.
func TestLoad_Pipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has no named pipes in folders")
	}
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, exec.CommandContext(t.Context(), "mkfifo", path).Run())
	_, err := access.Load(path)
	require.EqualError(t, err, "reading the tokens: "+path+" is not a file")
	_, err = access.OpenJWTs(t.Context(), access.JWTOptions{Issuer: "i", Audience: "a", KeysFile: path})
	require.ErrorContains(t, err, "no usable key could be read from "+path)
}
