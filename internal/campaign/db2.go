package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/db2"
)

// Commands are the shell's, by which a database is backed up and restored that
// has ways of its own.
type Commands struct{ Backup, Restore string }

// db2Engine is a schema in a database of Db2.
type db2Engine struct {
	url      string
	commands Commands
	note     string // file that tells that Backup was done
}

// newDB2 begins with the setting out of the box, as the papers did, unless the URL
// says another.
func newDB2(text, folder string, commands Commands) (db2Engine, error) {
	u, err := url.Parse(text)
	if err != nil {
		return db2Engine{}, errors.New("not a URL")
	}
	query := u.Query()
	if !query.Has("setting") {
		query.Set("setting", string(db2.Box))
	}
	u.RawQuery = query.Encode()
	return db2Engine{url: u.String(), commands: commands, note: filepath.Join(folder, "db2.backup")}, nil
}

func (e db2Engine) URL() string { return e.url }

func (e db2Engine) Lacks(kind Kind) string {
	switch {
	case kind == KindBackup && e.commands.Backup == "":
		return "--backup-command does not say how the database is backed up"
	case kind == KindRestore && e.commands.Restore == "":
		return "--restore-command does not say how the database is restored"
	}
	return ""
}

// with does something with the open database; asIs is for who only looks.
func (e db2Engine) with(ctx context.Context, asIs bool, do func(*db2.Store) error) (err error) {
	s, err := db2.Open(ctx, e.url, db2.Settings{AsIs: asIs})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(s)
}

func (e db2Engine) Describe(ctx context.Context) (is Store, err error) {
	err = e.with(ctx, true, func(s *db2.Store) error {
		is = described(store.Published(e.url), "by XMLVALIDATE, in the database", s.Describe())
		return nil
	})
	return is, err
}

// Holds makes no schema where there is none.
func (e db2Engine) Holds(ctx context.Context) (name string, err error) {
	err = e.with(ctx, true, func(s *db2.Store) error {
		name, err = holds(ctx, s)
		return err
	})
	if errors.Is(err, db2.ErrEmpty) {
		return "", nil
	}
	return name, err
}

// Create empties the schema, or makes it. The database itself is not the
// campaign's to make.
func (e db2Engine) Create(ctx context.Context) error {
	return e.with(ctx, false, func(s *db2.Store) error { return s.Empty(ctx) })
}

func (e db2Engine) Load(ctx context.Context, d *dataset.Dataset, progress func(int, int64)) error {
	return e.with(ctx, false, func(s *db2.Store) error { return s.LoadDataset(ctx, d, progress) })
}

func (e db2Engine) Loaded(ctx context.Context, k dataset.Kind) (n int64, err error) {
	err = e.with(ctx, true, func(s *db2.Store) error {
		n, err = s.LoadedDocuments(ctx, k)
		return err
	})
	return n, err
}

func (e db2Engine) Statistics(ctx context.Context) error {
	return e.with(ctx, true, func(s *db2.Store) error { return s.Runstats(ctx) })
}

func (e db2Engine) Space(ctx context.Context) (out Space, err error) {
	err = e.with(ctx, true, func(s *db2.Store) error {
		out, err = measured(ctx, s)
		return err
	})
	return out, err
}

// Backup and Restore are the operator's commands: where Db2 keeps its images, how
// applications are forced off, and as whom, is not for a campaign to know.
func (e db2Engine) Backup(ctx context.Context) (Copy, error) {
	if err := shell(ctx, e.commands.Backup); err != nil {
		return Copy{}, err
	}
	return Copy{}, os.WriteFile(e.note, []byte(e.commands.Backup+"\n"), 0o644)
}

func (e db2Engine) Restore(ctx context.Context) (Copy, error) {
	return Copy{}, shell(ctx, e.commands.Restore)
}

// shell runs a command; what it says is told only if it fails.
func shell(ctx context.Context, command string) error {
	said, err := exec.CommandContext(ctx, "sh", "-c", command).CombinedOutput()
	if err != nil {
		const last = 2000
		return fmt.Errorf("%s: %w\n%s", command, err, said[max(0, len(said)-last):])
	}
	return nil
}

func (e db2Engine) BackedUp() bool {
	_, err := os.Stat(e.note)
	return err == nil
}

// Discard forgets the backup; the image is the operator's.
func (e db2Engine) Discard() error {
	if err := os.Remove(e.note); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Remove leaves the schema, empty.
func (e db2Engine) Remove(ctx context.Context) error {
	return errors.Join(e.Discard(), e.Create(ctx))
}

// Pace is a guess: nothing of it was measured on Db2.
func (e db2Engine) Pace() Pace { return Pace{Load: 5e6, Backup: 50e6, Restore: 50e6} }

// Room is nowhere here: where the server keeps its files is not known.
func (e db2Engine) Room(*dataset.Dataset, float64) (string, float64) { return "", 0 }

// manyDB2Connections are a connection for each of many users.
const manyDB2Connections = 128

// Variants: the tuned setting, in a schema beside the first, and more connections.
func (e db2Engine) Variants(int) []Variant {
	return []Variant{
		{
			Name: "tuned", Tuned: true,
			Description: "a table space and a buffer pool for each table and its indexes instead of one for all, in a schema of its own",
		},
		{
			Name: fmt.Sprintf("pool %d", manyDB2Connections), Pool: manyDB2Connections,
			Description: fmt.Sprintf("%d connections instead of %d", manyDB2Connections, db2.DefaultPool),
		},
	}
}

// As gives the schema of the tuned setting another name, beside the first.
func (e db2Engine) As(v Variant) Engine {
	u, err := url.Parse(e.url)
	if err != nil || !v.Tuned {
		return e // it was parsed before
	}
	query := u.Query()
	if query.Get("setting") == string(db2.Tuned) {
		return e
	}
	schema := query.Get("schema")
	if schema == "" {
		schema = u.User.Username()
	}
	query.Set("schema", strings.ToUpper(schema)+"_TUNED")
	query.Set("setting", string(db2.Tuned))
	u.RawQuery = query.Encode()
	e.url, e.note = u.String(), e.note+".tuned"
	return e
}
