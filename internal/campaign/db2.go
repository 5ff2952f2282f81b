package campaign

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"

	"brokerage/internal/output"
	"brokerage/internal/store"
	"brokerage/internal/store/db2"
)

// Commands are the shell commands that back up and restore a database which has its own tools for that.
type Commands struct{ Backup, Restore string }

// A db2Subject is a schema in a Db2 database. The file of its backup only marks that Backup was done.
type db2Subject struct {
	baseSubject
	commands Commands
}

func newDB2(text, folder string, commands Commands) (db2Subject, error) {
	u, err := url.Parse(text)
	if err != nil {
		return db2Subject{}, errors.New("not a URL")
	}
	common := baseSubject{
		backup: filepath.Join(folder, "db2.backup"), validation: "by XMLVALIDATE, in the database",
	}
	common.url = u.String()
	return db2Subject{common, commands}, nil
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
