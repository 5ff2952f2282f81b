package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"brokerage/internal/output"
)

// Tokens identifies clients by the tokens of a file. It is safe for concurrent use.
type Tokens struct {
	path    string
	entries atomic.Pointer[[]entry]
	file    *Files // used by Watch alone
}

type entry struct {
	sum    [sha256.Size]byte // of the token
	client *Client
}

// Load reads the tokens of a file: one a line, "name:scope,scope:SHA-256 of the token in hex"; empty lines and lines
// that begin with # are ignored. A file without tokens is valid, and accepts no client.
func Load(path string) (*Tokens, error) {
	t := &Tokens{path: path, file: Look(path)}
	entries, err := read(path)
	if err != nil {
		return nil, err
	}
	t.entries.Store(&entries)
	return t, nil
}

// Watch checks at each interval whether the file has changed, and rereads it if so, until ctx is done. After each
// change it calls changed: with nil when the new tokens are in use, or with the reason why the file is refused; then
// the old tokens stay valid. A fault is reported once, until the file changes again.
func (t *Tokens) Watch(ctx context.Context, every time.Duration, changed func(error)) {
	t.file.Watch(ctx, every, func() {
		entries, err := read(t.path)
		if err == nil {
			t.entries.Store(&entries)
		}
		changed(err)
	})
}

// Len returns the number of tokens.
func (t *Tokens) Len() int { return len(*t.entries.Load()) }

// maxToken bounds a token as a client sends it; those of NewToken have 43 characters. The bound lets the copy that is
// hashed stay on the stack.
const maxToken = 512

// Client returns the client of an Authorization header: "Bearer" in any letter case, one space and a token of the
// file. Its duration reveals nothing about the tokens, since it compares hashes, always all of them.
func (t *Tokens) Client(_ context.Context, authorization string) (*Client, bool) {
	secret, ok := bearer(authorization, maxToken)
	if !ok {
		return nil, false
	}
	var token [maxToken]byte
	n := copy(token[:], secret)
	sum := sha256.Sum256(token[:n])

	entries := *t.entries.Load()
	found := -1
	for i := range entries {
		same := subtle.ConstantTimeCompare(entries[i].sum[:], sum[:])
		found = subtle.ConstantTimeSelect(same, i, found)
	}
	if found < 0 {
		return nil, false
	}
	return entries[found].client, true
}

// bearer returns the token of an Authorization header; ok is false for another scheme or a token longer than longest.
func bearer(authorization string, longest int) (token string, ok bool) {
	const scheme = "bearer "
	if len(authorization) <= len(scheme) || len(authorization) > len(scheme)+longest ||
		!strings.EqualFold(authorization[:len(scheme)], scheme) {
		return "", false
	}
	return authorization[len(scheme):], true
}

// maxFileBytes is far more than a file of tokens has; it bounds what is read from a wrong path.
const maxFileBytes = 4 << 20

func read(path string) ([]entry, error) {
	file, err := output.OpenInput(path)
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	if err := private(file); err != nil {
		return nil, err
	}
	text, err := output.ReadAtMost(file, maxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	var entries []entry
	lineOf := map[string]int{} // of a name, and of a hash as text
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		e, err := parseLine(line)
		name, sum := e.client.Name, ":"+string(e.sum[:]) // names contain no colon
		switch {
		case err != nil:
		case lineOf[name] != 0:
			err = fmt.Errorf("the name %s is on line %d already", name, lineOf[name])
		case lineOf[sum] != 0:
			err = fmt.Errorf("the same token is on line %d already", lineOf[sum])
		}
		if err != nil { // without the line, which may hold a token
			return nil, fmt.Errorf("%s, line %d: %w", path, number, err)
		}
		lineOf[name], lineOf[sum] = number, number
		entries = append(entries, e)
	}
	return entries, nil
}

// private returns an error if another user may change the tokens of a file, or everybody may read them. The group may
// read them, and root may own them: that is how Kubernetes gives a secret to a process that is not root.
func private(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if user, foreign := output.ForeignOwner(info); foreign {
		return fmt.Errorf("%s belongs to user %d, who could add tokens: chown it to root or to user %d, which reads it",
			file.Name(), user, os.Geteuid())
	}
	if mode := info.Mode().Perm(); mode&0o027 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%s is open to others (its mode is %04o): chmod 600 %[1]s makes it private", file.Name(), mode)
	}
	return nil
}

var errLine = errors.New("is not name:scope,scope:SHA-256 of the token in hex")

func parseLine(line string) (e entry, err error) {
	e.client = new(Client)
	name, rest, _ := strings.Cut(line, ":")
	list, sum, _ := strings.Cut(rest, ":")
	if CheckName(name) != nil || len(sum) != hex.EncodedLen(len(e.sum)) {
		return e, errLine
	}
	if _, err := hex.Decode(e.sum[:], []byte(sum)); err != nil {
		return e, errLine
	}
	e.client.Name = name
	e.client.Scopes, err = ParseScopes(list)
	return e, err
}

// Add creates a token for a client and appends its line to a file, which is created if it does not exist. A file that
// Load would refuse is an error, and so is a name that the file has already.
func Add(path string, c Client) (token string, err error) {
	if err := CheckName(c.Name); err != nil {
		return "", err
	}
	out := output.File{Path: path, Kind: output.Tokens}
	if err := out.Check(); err != nil {
		return "", err
	}
	entries, err := read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, e := range entries {
		if e.client.Name == c.Name {
			return "", fmt.Errorf("%s has a token for %s already", path, c.Name)
		}
	}
	file, torn, err := out.Append()
	if err != nil {
		return "", err
	}
	token, line := NewToken(c)
	if torn {
		line = "\n" + line
	}
	err = private(file) // another user may have made it meanwhile
	if err == nil {
		_, err = file.WriteString(line + "\n") // at once: a service that watches the file never sees half of a line
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	return token, nil
}
