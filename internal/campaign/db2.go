package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/db2"
)

// Commands are the shell commands that back up and restore a database which has its own tools for that.
type Commands struct{ Backup, Restore string }

// db2Engine is a schema in a Db2 database.
type db2Engine struct {
	opened[*db2.Store]
	url      *url.URL
	commands Commands
	note     string // file that exists when Backup was done
}

// newDB2 uses the default setting, as the papers did, unless the URL names another one.
func newDB2(text, folder string, commands Commands) (db2Engine, error) {
	u, err := url.Parse(text)
	if err != nil {
		return db2Engine{}, errors.New("not a URL")
	}
	query := u.Query()
	if !query.Has("setting") {
		query.Set("setting", string(db2.Box))
	}
	return db2At(u, query, commands, filepath.Join(folder, "db2.backup")), nil
}

// db2At returns the engine of a URL with another query.
func db2At(u *url.URL, query url.Values, commands Commands, note string) db2Engine {
	at := *u
	at.RawQuery = query.Encode()
	open := func(ctx context.Context, asIs bool) (*db2.Store, error) {
		return db2.Open(ctx, at.String(), db2.Settings{AsIs: asIs})
	}
	return db2Engine{opened: opened[*db2.Store]{open, db2.ErrEmpty}, url: &at, commands: commands, note: note}
}

func (e db2Engine) URL() string { return e.url.String() }

func (e db2Engine) Lacks(kind Kind) string {
	switch {
	case kind == KindBackup && e.commands.Backup == "":
		return "--backup-command does not say how the database is backed up"
	case kind == KindRestore && e.commands.Restore == "":
		return "--restore-command does not say how the database is restored"
	}
	return ""
}

func (e db2Engine) Describe(ctx context.Context) (is Store, err error) {
	err = e.with(ctx, true, func(s *db2.Store) error {
		is = described(store.Published(e.URL()), "by XMLVALIDATE, in the database", s.Describe())
		return nil
	})
	return is, err
}

// Create empties the schema, or creates it. It does not create the database.
func (e db2Engine) Create(ctx context.Context) error {
	return e.with(ctx, false, func(s *db2.Store) error { return s.Empty(ctx) })
}

func (e db2Engine) Statistics(ctx context.Context) error {
	return e.with(ctx, true, func(s *db2.Store) error { return s.Runstats(ctx) })
}

// Backup and Restore run the operator's commands, which know where Db2 keeps its images and how to force off its
// applications.
func (e db2Engine) Backup(ctx context.Context) (Copy, error) {
	if err := shell(ctx, e.commands.Backup); err != nil {
		return Copy{}, err
	}
	return Copy{}, os.WriteFile(e.note, []byte(e.commands.Backup+"\n"), 0o644)
}

func (e db2Engine) Restore(ctx context.Context) (Copy, error) {
	return Copy{}, shell(ctx, e.commands.Restore)
}

// shell runs a command. The error holds the end of its output.
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

// Discard forgets the backup; the image belongs to the operator.
func (e db2Engine) Discard() error { return removeIfThere(e.note) }

// Remove leaves an empty schema.
func (e db2Engine) Remove(ctx context.Context) error {
	return errors.Join(e.Discard(), e.Create(ctx))
}

// Pace is an estimate, not measured on Db2.
func (e db2Engine) Pace() Pace { return Pace{Load: 5e6, Backup: 50e6, Restore: 50e6} }

// Room is unknown: the server decides where it keeps its files.
func (e db2Engine) Room(*dataset.Dataset, float64) (string, float64) { return "", 0 }

// manyDB2Connections is enough for a connection for each of many users.
const manyDB2Connections = 128

// Variants are the tuned setting, in a schema of its own, and more connections.
func (e db2Engine) Variants(int) []Variant {
	return []Variant{
		{
			Name: "tuned", Tuned: true,
			Description: "a table space and a buffer pool for each table and its indexes instead of one for all, in a schema " +
				"of its own",
		},
		{
			Name: fmt.Sprintf("pool %d", manyDB2Connections), Pool: manyDB2Connections,
			Description: fmt.Sprintf("%d connections instead of %d", manyDB2Connections, db2.DefaultPool),
		},
	}
}

// As returns the schema of the tuned setting, beside the first.
func (e db2Engine) As(v Variant) Engine {
	query := e.url.Query()
	if !v.Tuned || query.Get("setting") == string(db2.Tuned) {
		return e
	}
	query.Set("schema", strings.ToUpper(cmp.Or(query.Get("schema"), e.url.User.Username()))+"_TUNED")
	query.Set("setting", string(db2.Tuned))
	return db2At(e.url, query, e.commands, e.note+".tuned")
}
