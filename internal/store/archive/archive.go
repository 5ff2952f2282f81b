// Package archive writes, reads and checks the file of a backup, of any database.
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

// A backup is a zstd stream, which `zstd -d` unpacks, followed by a frame that zstd skips:
//
//	4 bytes   the mark of a frame to skip
//	4 bytes   the length of the rest, little-endian
//	a line    the manifest, as JSON
//	a line    the seal: the SHA-256 of the whole file up to here, in hex
//
// The seal covers the file and not only what it unpacks to, because a zstd stream has bits that make no difference: a
// backup with a single flipped bit is refused.
const (
	// Format is the newest version of the format.
	Format      = 1
	Skippable   = "\x5B\x2A\x4D\x18" // 0x184D2A5B; none of its last byte is in a text
	frameHead   = len(Skippable) + 4
	sealLine    = 2*sha256.Size + 1
	maxManifest = 64 << 10
)

// A Manifest describes a backup.
type Manifest struct {
	Format      int       `json:"format"`
	Schema      int       `json:"schema"`           // version of the database's schema
	Identity    string    `json:"identity"`         // of the database
	Engine      string    `json:"engine,omitempty"` // empty: the embedded store
	Layout      string    `json:"layout,omitempty"` // of the database's tables; empty: the engine has one
	Fingerprint string    `json:"fingerprint"`      // of the dataset in it; empty if there is none
	Time        time.Time `json:"time"`             // of the state of the database, UTC
	PageSize    int64     `json:"page_size,omitempty"`
	Bytes       int64     `json:"bytes"`  // of what is packed
	SHA256      string    `json:"sha256"` // of what is packed, in hex
}

// Seal writes the manifest and the seal, which end a backup.
func (m Manifest) Seal(out *Digest) error {
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

// A Digest counts and hashes what is written through it.
type Digest struct {
	Bytes int64

	to   io.Writer
	hash hash.Hash
}

// NewDigest returns a digest of what is written to a writer.
func NewDigest(to io.Writer) *Digest { return &Digest{to: to, hash: sha256.New()} }

func (d *Digest) Write(p []byte) (int, error) {
	n, err := d.to.Write(p)
	d.hash.Write(p[:n])
	d.Bytes += int64(n)
	return n, err
}

// Sum returns the SHA-256 so far, in hex.
func (d *Digest) Sum() string { return hex.EncodeToString(d.hash.Sum(nil)) }
