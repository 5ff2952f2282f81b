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

	"brokerage/internal/filewatch"
)

// Tokens identifies clients by the tokens of a file. It is safe for concurrent use.
type Tokens struct {
	path    string
	entries atomic.Pointer[[]entry]
	file    *filewatch.Files // used by Watch alone
}

type entry struct {
	sum    [sha256.Size]byte // of the token
	client *Client
}

// Load reads the tokens of a file: one a line, "name:scope,scope:SHA-256 of the token in hex"; empty lines and lines
// that begin with # are ignored. A file without tokens is valid, and accepts no client.
func Load(path string) (*Tokens, error) {
	t := &Tokens{path: path, file: filewatch.Look(path)}
	entries, err := read(path)
	if err != nil {
		return nil, err
	}
	t.entries.Store(&entries)
	return t, nil
}

// Len returns the number of tokens.
func (t *Tokens) Len() int { return len(*t.entries.Load()) }

// maxToken bounds a token as a client sends it; those of NewToken have 43 characters. The bound keeps the copy that is
// hashed on the stack.
const maxToken = 512

// Client returns the client of an Authorization header: "Bearer", in any case, one space, and a token of the file. Its
// duration reveals nothing about the tokens, since it compares hashes, always with all of them.
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

// bearer returns the token of an Authorization header; ok is false for another header and for a longer token.
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
	file, info, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	if err := private(path, info); err != nil {
		return nil, err
	}
	text, err := readAtMost(file, maxFileBytes, "file of tokens")
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %s: %w", path, err)
	}
	entries, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s, %w", path, err)
	}
	return entries, nil
}

// openFile opens a regular file to read it. Anything else is refused before it is opened: opening a pipe waits for a
// writer.
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

// private refuses a file that others can write, or that everybody can read. The group may read it: that is how
// Kubernetes gives a secret to a process that is not root.
func private(path string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o027 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%s is open to others (its mode is %04o): chmod 600 %[1]s makes it private", path, mode)
	}
	return nil
}

// parse reads the lines of a file. Its errors never repeat a line, which may hold a token.
func parse(text string) ([]entry, error) {
	var entries []entry
	names := make(map[string]int) // and the numbers of their lines
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
			return nil, fmt.Errorf("line %d: the name %s is on line %d already", number, e.client.Name, before)
		}
		if before, twice := sums[e.sum]; twice {
			return nil, fmt.Errorf("line %d: the same token is on line %d already", number, before)
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
