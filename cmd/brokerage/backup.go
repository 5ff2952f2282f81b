package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"brokerage/internal/format"
	"brokerage/internal/output"
	"brokerage/internal/store"
)

//nolint:lll // a help text is one string
type backupCmd struct {
	DB      dbFlag `name:"db" required:"" placeholder:"URL" help:"Database to copy: sqlite:PATH or postgres://USER@HOST/DATABASE; it may be in use. Db2 is not supported; use its own BACKUP DATABASE."`
	Out     string `required:"" type:"path" placeholder:"FILE" help:"File to write the backup to; with --keep, the folder of the backups."`
	Replace bool   `xor:"old" help:"Overwrite FILE if it is a backup, but not of another database. Default: an error."`
	Keep    int    `xor:"old" placeholder:"N" range:"0..1000000" help:"Write brokerage-DATE.bak into the folder that --out names, then remove older backups of this database there, so that the newest N by name remain, the new one included. Backups of users other than you, root and the folder's owner stay. Default: 0, which writes to the file --out."`
}

func (c *backupCmd) Run(ctx context.Context, s streams) error {
	if err := c.DB.RequireExisting(); err != nil {
		return err
	}
	file := c.Out
	if c.Keep > 0 {
		file = filepath.Join(c.Out, time.Now().UTC().Format(backupName))
	}
	bar := startProgress(s.err, 0)
	m, written, err := c.DB.Backup(ctx, file, store.CopyOptions{
		Replace: c.Replace, Notice: s.notice, Progress: bar.of,
	})
	bar.finish()
	if err != nil {
		return err
	}
	took := time.Since(bar.start)
	if _, err = fmt.Fprintf(s.out, "%s: %s, %s packed to %s in %s (%s)\n", file, contentsText(m),
		format.Bytes(m.Bytes), format.Bytes(written), format.Duration(took), format.ByteRate(m.Bytes, took)); err != nil {
		return err
	}
	if c.Keep == 0 {
		return nil
	}
	all, err := c.DB.generations(c.Out)
	if err != nil {
		return err
	}
	older := slices.DeleteFunc(all, func(g backupIn) bool { return g.Identity != m.Identity || g.file >= file })
	for _, old := range older[min(c.Keep-1, len(older)):] {
		if err := os.Remove(old.file); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(s.out, "removed", old.file); err != nil {
			return err
		}
	}
	return nil
}

// A backupIn is one of the backups in a folder.
type backupIn struct {
	store.Manifest

	file string
}

// The names that --keep gives to backups, as a layout for time.Format and as a pattern.
const backupName = "brokerage-20060102T150405Z.bak"

var backupNames = regexp.MustCompile(`^brokerage-\d{8}T\d{6}Z\.bak$`)

// generations returns the backups in a folder that were made from databases of this engine, in descending order of
// name. It does not use the times in manifests, since a manifest may hold any time. In a folder that users share, it
// ignores files of users other than this process's, root and the folder's owner.
func (f *dbFlag) generations(folder string) (all []backupIn, err error) {
	about, err := os.Stat(folder)
	if err != nil {
		return nil, err
	}
	owner, _ := output.ForeignOwner(about)
	entries, err := os.ReadDir(folder) // in the order of names
	for _, entry := range slices.Backward(entries) {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || !backupNames.MatchString(entry.Name()) {
			continue
		}
		if user, foreign := output.ForeignOwner(info); foreign && user != owner {
			continue
		}
		file := filepath.Join(folder, entry.Name())
		if m, err := f.ReadManifest(file); err == nil { // anything else is left alone
			all = append(all, backupIn{m, file})
		}
	}
	return all, err
}

// newest returns the path of the newest backup in a folder, see generations. All backups there must be of one database.
func (f *dbFlag) newest(folder string) (file string, err error) {
	all, err := f.generations(folder)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s has no backup (brokerage-DATE.bak) of %s that belongs to this user, root or the folder's owner",
			folder, f.Title)
	}
	if err != nil {
		return "", err
	}
	for _, g := range all {
		if g.Identity != all[0].Identity {
			return "", fmt.Errorf("%s has backups of several databases, such as %s of %s and %s of %s: "+
				"give the path of one of the files", folder, all[0].file, all[0].Identity, g.file, g.Identity)
		}
	}
	return all[0].file, nil
}

// contentsText returns the dataset and the database that a backup holds.
func contentsText(m store.Manifest) string {
	return cmp.Or(m.Fingerprint, "no dataset") + " of database " + m.Identity
}
