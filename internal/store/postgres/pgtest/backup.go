package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/testenv"
)

// Archiving are the settings of a server that keeps all its changes, in the folder "archive" beside its data.
var Archiving = []string{
	"wal_level=replica", "archive_mode=on", "archive_command='mkdir -p ../archive && cp %p ../archive/%f'", "full_page_writes=on",
}

// Backup is a copy of a server's files, from which another one can be started.
type Backup struct {
	of   *Server
	into *Server // not running yet
}

// Backup copies the server while it is in use.
func (s *Server) Backup(t testing.TB) *Backup {
	t.Helper()
	copies := s.as(t, "pg_basebackup")
	into, err := prepare(socketRoot())
	if err != nil {
		t.Fatal(err)
	}
	b := &Backup{of: s, into: into}
	t.Cleanup(func() {
		if err := errors.Join(into.end(), os.RemoveAll(into.dir)); err != nil {
			t.Errorf("ending the restored server: %v", err)
		}
	})
	copies.Args = append(copies.Args, "-h", s.dir, "-U", User, "-D", b.Folder(), "-c", "fast", "-X", "none")
	if out, err := copies.CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
	return b
}

// Folder is where the copied files are.
func (b *Backup) Folder() string { return filepath.Join(b.into.dir, "data") }

// Archive is the folder with what the server has changed since.
func (b *Backup) Archive() string { return filepath.Join(b.of.dir, "archive") }

// Verify holds the files against the sums that were written with them.
func (b *Backup) Verify(t testing.TB) error {
	t.Helper()
	verify := b.of.as(t, "pg_verifybackup")
	verify.Args = append(verify.Args, "--no-parse-wal", b.Folder())
	if out, err := verify.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_verifybackup: %w: %s", err, out)
	}
	return nil
}

// Recover starts a server on the copy, with everything as it was at a time. It is an error if that time cannot be
// reached.
func (b *Backup) Recover(at time.Time) (*Server, error) {
	settings := fmt.Sprintf("restore_command = 'cp %s/%%f %%p'\nrecovery_target_time = '%s'\nrecovery_target_action = 'promote'\narchive_mode = off\n",
		b.Archive(), at.UTC().Format("2006-01-02 15:04:05.999999-07:00"))
	for name, text := range map[string]string{"recovery.signal": "", "postgresql.auto.conf": settings} {
		path := filepath.Join(b.Folder(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
		if c := b.into.credential; c != nil {
			if err := os.Chown(path, int(c.Uid), int(c.Gid)); err != nil {
				return nil, err
			}
		}
	}
	if err := b.into.run(nil); err != nil {
		b.into.keeper = nil // it has ended
		return nil, err
	}
	// It answers before it is there, and ends by itself if it does not get there.
	for {
		recovering, err := b.into.recovering()
		if err != nil {
			log, _ := os.ReadFile(filepath.Join(b.into.dir, "log")) // the error tells if there is none
			return nil, fmt.Errorf("%w\n%s", err, log)
		}
		if !recovering {
			return b.into, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// recovering tells whether a server has not yet come to the time that it was to recover.
func (s *Server) recovering() (is bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is left to learn
	err = conn.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&is)
	return is, err
}

// end stops a server that may not have been started.
func (s *Server) end() error {
	if s.keeper == nil {
		return nil
	}
	return s.Stop()
}

// as is a program of the server's, run as its user.
func (s *Server) as(t testing.TB, name string) *exec.Cmd {
	t.Helper()
	program := filepath.Join(s.bin, name)
	if _, err := os.Stat(program); err != nil {
		testenv.Missing(t, "pg_basebackup", name+" is not among PostgreSQL's programs here")
	}
	cmd := command(program)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.credential}
	cmd.Dir = s.dir
	return cmd
}
