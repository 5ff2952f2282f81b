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

	"brokerage/internal/output"
	"brokerage/internal/store"
	"brokerage/internal/store/db2"
)

// Commands are the shell commands that back up and restore a database which has its own tools for that.
type Commands struct{ Backup, Restore string }

// db2Engine is a schema in a Db2 database. The file of its backup only marks that Backup was done.
type db2Subject struct {
	baseSubject
	parsed   *url.URL
	commands Commands
}

// newDB2 uses the default setting, as the papers did, unless the URL names another one.
func newDB2(text, folder string, commands Commands) (db2Subject, error) {
	u, err := url.Parse(text)
	if err != nil {
		return db2Subject{}, errors.New("not a URL")
	}
	query := u.Query()
	if !query.Has("setting") {
		query.Set("setting", string(db2.Box))
	}
	// The pace is an estimate, not measured on Db2.
	common := baseSubject{
		backup: filepath.Join(folder, "db2.backup"), validation: "by XMLVALIDATE, in the database",
		pace: Pace{Load: 5e6, Backup: 50e6, Restore: 50e6, Insert: 2e6},
	}
	return db2Subject{common, u, commands}.at(query), nil
}

// at returns the subject with another query in its URL.
func (e db2Subject) at(query url.Values) db2Subject {
	u := *e.parsed
	u.RawQuery = query.Encode()
	e.parsed, e.url = &u, u.String()
	return e
}

func (e db2Subject) Lacks(kind StepKind) string {
	switch {
	case kind == KindBackup && e.commands.Backup == "":
		return "--backup-command does not say how the database is backed up"
	case kind == KindRestore && e.commands.Restore == "":
		return "--restore-command does not say how the database is restored"
	}
	return ""
}

func (e db2Subject) Statistics(ctx context.Context) error {
	return e.with(ctx, true, func(s store.Bulk) error { return s.(*db2.Store).Runstats(ctx) })
}

// Backup and Restore run the operator's commands, which know where Db2 keeps its images and how to force off its
// applications.
func (e db2Subject) Backup(ctx context.Context) (Copy, error) {
	if err := shell(ctx, e.commands.Backup); err != nil {
		return Copy{}, err
	}
	file := output.File{Path: e.backup, Kind: output.JSON, Mode: 0o644}
	return Copy{}, writeJSON(ctx, file, e.commands.Backup)
}

func (e db2Subject) Restore(ctx context.Context) (Copy, error) {
	return Copy{}, shell(ctx, e.commands.Restore)
}

// shell runs a command. The error holds the end of its output.
func shell(ctx context.Context, command string) error {
	text, err := exec.CommandContext(ctx, "sh", "-c", command).CombinedOutput()
	if err != nil {
		const last = 2000
		return fmt.Errorf("%s: %w\n%s", command, err, text[max(0, len(text)-last):])
	}
	return nil
}

func (e db2Subject) BackedUp() bool {
	_, err := os.Stat(e.backup)
	return err == nil
}

// Variants returns the tuned setting, in a schema of its own, and enough connections for each of many users.
func (e db2Subject) Variants(int) []Variant {
	const many = 128
	return []Variant{
		{Name: "tuned", Tuned: true, Factor: factorPools, Description: "a table space and a buffer pool for each table and " +
			"its indexes instead of one for all, in a schema of its own"},
		{Name: fmt.Sprintf("pool %d", many), Pool: many, Factor: factorConnections,
			Description: fmt.Sprintf("%d connections instead of %d", many, db2.DefaultPool)},
	}
}

// Designs are in schemas of their own.
func (db2Subject) Designs() []Variant {
	design := func(factor string, d db2.Design, description string) Variant {
		return Variant{Name: strings.ReplaceAll(string(d), "_", " "), Factor: factor, Design: string(d),
			Description: description + ", in a schema of its own"}
	}
	return []Variant{
		design(factorCompression, db2.Uncompressed, "rows that are not compressed (COMPRESS NO)"),
		design(factorInlining, db2.OutOfLine, "documents in the XML storage object instead of their rows (no INLINE LENGTH)"),
		design(factorIndexes, db2.FewIndexes, "only the indexes by which a document is found: searches and greatest orders "+
			"read whole tables; writes have less to do"),
		design(factorIndexes, db2.ManyIndexes, "24 XML indexes instead of 8, as in the study of 2006; no query uses the 16 "+
			"others: what they cost writes"),
	}
}

func (db2Subject) Absent() []Absent {
	return []Absent{{factorDurability, "Db2 writes the log to disk at each commit, and no setting changes that"}}
}

// As returns the schema of the tuned setting or of a design, beside the first.
func (e db2Subject) As(v Variant) Subject {
	query := e.parsed.Query()
	name := v.Design
	switch {
	case v.Tuned && query.Get("setting") != string(db2.Tuned):
		name = string(db2.Tuned)
		query.Set("setting", name)
	case v.Design != "" && query.Get("design") != v.Design:
		query.Set("design", v.Design)
	default:
		return e
	}
	schema := strings.ToUpper(cmp.Or(query.Get("schema"), e.parsed.User.Username()) + "_" + name)
	query.Set("schema", schema)
	e.backup += "." + name
	return e.at(query)
}
