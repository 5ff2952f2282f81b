// Package archive is the file of a backup, whatever database it is of: how it is
// sealed, how it is read and checked, and how a file comes to be whole or not at
// all.
package archive

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"time"
)

// A backup is a zstd stream, which `zstd -d` unpacks, and behind it a frame that
// zstd skips:
//
//	4 bytes   skippable, which marks it as such
//	4 bytes   the length of the rest, little-endian
//	a line    the manifest, as JSON
//	a line    the seal: the SHA-256 of the whole file up to here, in hex
//
// The seal is over the file and not only over what it unpacks to, since a zstd
// stream has bits that make no difference; a backup is whole, to the last of
// them, or refused.
const (
	// Format is the newest that there is.
	Format      = 1
	Skippable   = "\x5B\x2A\x4D\x18" // 0x184D2A5B; none of its last byte is in a text
	frameHead   = len(Skippable) + 4
	sealLine    = 2*sha256.Size + 1
	maxManifest = 64 << 10
)

// Manifest is what a backup says of itself.
type Manifest struct {
	Format      int       `json:"format"`
	Schema      int       `json:"schema"`           // version of the database's schema
	Engine      string    `json:"engine,omitempty"` // empty: the embedded store
	Fingerprint string    `json:"fingerprint"`      // of the dataset in it; empty if there is none
	Time        time.Time `json:"time"`             // of the state that it keeps, UTC
	PageSize    int64     `json:"page_size,omitempty"`
	Bytes       int64     `json:"bytes"`  // of what is packed
	SHA256      string    `json:"sha256"` // of what is packed, in hex
}

// Seal ends a backup.
func (m Manifest) Seal(out *Tally) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if len(text) > maxManifest-frameHead-sealLine {
		return fmt.Errorf("a manifest of %d bytes is too long", len(text))
	}
	frame := binary.LittleEndian.AppendUint32([]byte(Skippable), uint32(len(text)+sealLine))
	if _, err := out.Write(append(frame, text...)); err != nil {
		return err
	}
	_, err = io.WriteString(out, out.Sum()+"\n")
	return err
}

// Tally counts and hashes what passes through it.
type Tally struct {
	Bytes int64

	to   io.Writer
	hash hash.Hash
}

// NewTally is one on the way to a writer.
func NewTally(to io.Writer) *Tally { return &Tally{to: to, hash: sha256.New()} }

func (t *Tally) Write(p []byte) (int, error) {
	n, err := t.to.Write(p)
	t.hash.Write(p[:n])
	t.Bytes += int64(n)
	return n, err
}

// Sum is the SHA-256 so far, in hex.
func (t *Tally) Sum() string { return hex.EncodeToString(t.hash.Sum(nil)) }
