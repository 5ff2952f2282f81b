package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"github.com/klauspost/compress/zstd"

	"brokerage/internal/output"
)

// A backup is a zstd stream, which `zstd -d` unpacks, followed by a frame that zstd skips:
//
//	4 bytes   the mark of a frame to skip
//	4 bytes   the length of the rest, little-endian
//	a line    the manifest, as JSON
//	a line    the seal: the SHA-256 of the whole file up to here, in hex
//
// The seal covers the file and not only what it unpacks to, because some bits of a zstd stream make no difference to
// that. So a backup with a single flipped bit is refused.
const (
	// BackupFormat is the newest version of the format.
	BackupFormat = 1
	backupMark   = "\x5B\x2A\x4D\x18" // 0x184D2A5B; no manifest or seal contains its last byte
	frameHead    = len(backupMark) + 4
	sealLine     = 2*sha256.Size + 1
	maxManifest  = 64 << 10
)

// A Manifest describes a backup.
type Manifest struct {
	Format      int       `json:"format"`
	Schema      int       `json:"schema"`           // version of the database's schema
	Identity    string    `json:"identity"`         // of the database
	Engine      string    `json:"engine"`           // scheme of the URLs
	Layout      string    `json:"layout,omitempty"` // of the database's tables; empty if the engine has only one
	Fingerprint string    `json:"fingerprint"`      // of the dataset in it; empty if there is none
	Time        time.Time `json:"time"`             // of the state of the database, UTC
	PageSize    int64     `json:"page_size,omitempty"`
	Bytes       int64     `json:"bytes"`  // of the database before compression
	SHA256      string    `json:"sha256"` // of the database before compression, in hex
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
	frame := binary.LittleEndian.AppendUint32([]byte(backupMark), uint32(len(text)+sealLine))
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

// BackupProgressBytes is the number of bytes between two reports of progress.
const BackupProgressBytes = 1 << 20

// A BackupFile is a backup that is open for reading.
type BackupFile struct {
	*os.File
	Manifest

	packed int64  // bytes of the zstd stream
	sealed int64  // bytes that the seal covers
	seal   string // as the file states it
}

// OpenBackup opens a backup of an engine and reads its manifest, which can be trusted only after Unpack. It refuses a
// backup with another version of the schema.
func OpenBackup(path, engine string) (_ *BackupFile, err error) {
	f, err := output.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer func() { // the texts of the errors below continue after the path
		if err != nil {
			err = errors.Join(fmt.Errorf("%s %w", path, err), f.Close())
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	tail := make([]byte, min(info.Size(), maxManifest))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	at := bytes.LastIndex(tail, []byte(backupMark))
	if at < 0 || len(tail)-at < frameHead+sealLine {
		return nil, errors.New("is not a backup, or only the beginning of one: it does not end with a manifest")
	}
	frame := tail[at:]
	length := int64(frameHead) + int64(binary.LittleEndian.Uint32(frame[len(backupMark):]))
	switch over := int64(len(frame)) - length; {
	case over < 0:
		return nil, errors.New("is cut off")
	case over > 0:
		return nil, fmt.Errorf("has %d bytes after its end", over)
	}
	text, seal := frame[frameHead:len(frame)-sealLine], frame[len(frame)-sealLine:]
	b := &BackupFile{File: f, packed: info.Size() - length, sealed: info.Size() - int64(sealLine), seal: string(seal)}
	if err := json.Unmarshal(text, &b.Manifest); err != nil {
		return nil, fmt.Errorf("is damaged: its manifest cannot be read: %w", err)
	}
	switch {
	case b.Engine != engine:
		return nil, fmt.Errorf("is a backup of %s, and not of %s", b.Engine, engine)
	case b.Format > BackupFormat:
		return nil, fmt.Errorf("is of format %d, but this program supports up to %d: use a newer release",
			b.Format, BackupFormat)
	case b.Format < 1 || b.Schema < 1 || b.Bytes <= 0:
		return nil, errors.New("is damaged: its manifest has an invalid format, schema version or size")
	}
	if err := (Stamp{Version: b.Schema, Identity: b.Identity}).Check(); err != nil {
		return nil, fmt.Errorf("cannot be restored: %w", err)
	}
	return b, nil
}

// MayReplace returns an error if a file is a backup by the same engine, but of another database than m describes: the
// backup of a lost database must not be replaced by one of the new database in its place.
func MayReplace(file string, m Manifest) error {
	old, err := OpenBackup(file, m.Engine)
	if err != nil {
		return nil // no file, or none that could be restored with this engine
	}
	defer func() { _ = old.Close() }()
	if old.Identity != m.Identity {
		return fmt.Errorf("%s is a backup of database %s, and not of %s: choose another file", file, old.Identity, m.Identity)
	}
	return nil
}

// Unpack writes the backup's database to a writer, and returns an error unless the backup is complete and intact.
// After an error, what was written is unusable. Unpack calls read with the number of bytes of each step.
func (b *BackupFile) Unpack(ctx context.Context, to io.Writer, read func(bytes int64)) error {
	file := sha256.New()
	packed := io.TeeReader(io.NewSectionReader(b, 0, b.packed), file)
	unpacker, err := zstd.NewReader(packed, zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return err
	}
	defer unpacker.Close()
	raw := NewDigest(to)
	for {
		n, err := io.CopyN(raw, unpacker, BackupProgressBytes)
		read(n)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case raw.Bytes > b.Bytes:
			return fmt.Errorf("%s is damaged: it holds more than the %d bytes in its manifest", b.Name(), b.Bytes)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if _, disk := errors.AsType[*os.PathError](err); disk {
			return err
		}
		if err != nil {
			return fmt.Errorf("%s is damaged: %w", b.Name(), err)
		}
	}
	unpacker.Close() // its goroutine, which reads ahead, uses file
	if _, err := io.Copy(file, io.NewSectionReader(b, b.packed, b.sealed-b.packed)); err != nil {
		return err
	}
	switch {
	case raw.Bytes != b.Bytes:
		return fmt.Errorf("%s is damaged: it holds %d bytes instead of %d", b.Name(), raw.Bytes, b.Bytes)
	case raw.Sum() != b.SHA256:
		return fmt.Errorf("%s is damaged: the SHA-256 of the database in it differs from that in its manifest", b.Name())
	case hex.EncodeToString(file.Sum(nil))+"\n" != b.seal:
		return fmt.Errorf("%s is damaged: its SHA-256 differs from the one at its end", b.Name())
	}
	return nil
}
