package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync/atomic"

	"brokerage/internal/filewatch"
)

// Tokens are the tokens of a file. They are safe for concurrent use.
type Tokens struct {
	path    string
	entries atomic.Pointer[[]entry]
	file    *filewatch.Files // Watch's alone
}

type entry struct {
	sum    [sha256.Size]byte // of the token
	client *Client
}

// Load reads the tokens of a file: one a line, "name:scope,scope:SHA-256 of the token in hex"; empty lines and those
// that begin with # do not count. Without any token, nobody is a client.
func Load(path string) (*Tokens, error) {
	t := &Tokens{path: path, file: filewatch.Look(path)}
	entries, err := read(path)
	if err != nil {
		return nil, err
	}
	t.entries.Store(&entries)
	return t, nil
}

// Len is how many tokens there are.
func (t *Tokens) Len() int { return len(*t.entries.Load()) }

// maxToken bounds a token as a client sends it; those that NewToken makes have 43 characters. It keeps the copy that is
// hashed on the stack.
const maxToken = 512

// Client gives the client of an Authorization header: "Bearer", in any case, one space, and a token of the file. How
// long that takes says nothing about the tokens that there are, since only sums are compared, and always with all.
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

// bearer is the token of an Authorization header, if it is one and not too long.
func bearer(authorization string, longest int) (token string, ok bool) {
	const scheme = "bearer "
	if len(authorization) <= len(scheme) || len(authorization) > len(scheme)+longest ||
		!strings.EqualFold(authorization[:len(scheme)], scheme) {
		return "", false
	}
	return authorization[len(scheme):], true
}

// maxFile is far more than a file of tokens has; it bounds what a wrong path makes us read.
const maxFile = 4 << 20

func read(path string) ([]entry, error) {
	file, info, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	if err := private(path, info); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the tokens: %w", err)
	case len(text) > maxFile:
		return nil, fmt.Errorf("%s is too large for a file of tokens", path)
	}
	entries, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s, %w", path, err)
	}
	return entries, nil
}

// openFile opens a file to read it. It refuses what is not a regular one, before it is opened: opening a pipe waits for
// somebody to write to it.
func openFile(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", path)
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := os.Open(path)
	if err == nil {
		info, err = file.Stat()
	}
	return file, info, err
}

// private refuses a file in which somebody else could write a token, or of which everybody may read who the clients
// are. The group may read it: that is how Kubernetes hands a secret to a process that is not root.
func private(path string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o027 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%s is open to others (its mode is %04o): chmod 600 %[1]s makes it private", path, mode)
	}
	return nil
}

// parse reads the lines of a file. Its errors never repeat a line: someone may have put a token there.
func parse(text string) ([]entry, error) {
	var entries []entry
	names := make(map[string]int) // and the lines where they stand
	sums := make(map[[sha256.Size]byte]int)
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		e, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if before, twice := names[e.client.Name]; twice {
			return nil, fmt.Errorf("line %d: the name %s stands on line %d already", number, e.client.Name, before)
		}
		if before, twice := sums[e.sum]; twice {
			return nil, fmt.Errorf("line %d: the same token stands on line %d already", number, before)
		}
		names[e.client.Name], sums[e.sum] = number, number
		entries = append(entries, e)
	}
	return entries, nil
}

var errLine = errors.New("is not name:scope,scope:SHA-256 of the token in hex")

func parseLine(line string) (e entry, err error) {
	name, rest, ok := strings.Cut(line, ":")
	if !ok {
		return e, errLine
	}
	list, sum, ok := strings.Cut(rest, ":")
	if !ok || CheckName(name) != nil || len(sum) != hex.EncodedLen(len(e.sum)) {
		return e, errLine
	}
	if _, err := hex.Decode(e.sum[:], []byte(sum)); err != nil {
		return e, errLine
	}
	scopes, err := ParseScopes(list)
	if err != nil {
		return e, err
	}
	e.client = &Client{Name: name, Scopes: scopes}
	return e, nil
}
