package pgtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Archiving are the settings of a server that archives all its changes, in the folder "archive" beside its data.
var Archiving = []string{
	"wal_level=replica", "archive_mode=on", "archive_command='mkdir -p ../archive && cp %p ../archive/%f'",
	"full_page_writes=on",
}

// A Backup is a copy of the files of a server, from which another one can be started.
type Backup struct {
	of   *Server
	into *Server // not running yet
}

// Backup copies the files of the server while it is in use.
func (s *Server) Backup(t testing.TB) *Backup {
	t.Helper()
	into, err := prepare(s.bin, filepath.Dir(s.dir))
	require.NoError(t, err)
	b := &Backup{of: s, into: into}
	t.Cleanup(func() {
		if into.keeper != nil {
			require.NoError(t, into.Stop())
		}
		require.NoError(t, os.RemoveAll(into.dir))
	})
	require.NoError(t,
		s.tool(t, "pg_basebackup", "-h", s.dir, "-U", User, "-D", b.Folder(), "-c", "fast", "-X", "none"))
	return b
}

// Folder returns the folder of the copied files.
func (b *Backup) Folder() string { return b.into.data() }

// Archive returns the folder of the changes since.
func (b *Backup) Archive() string { return filepath.Join(b.of.dir, "archive") }

// Verify compares the files with the checksums that were written with them.
func (b *Backup) Verify(t testing.TB) error {
	t.Helper()
	return b.of.tool(t, "pg_verifybackup", "--no-parse-wal", b.Folder())
}

// Recover starts a server on the copy, with the data at a target such as "recovery_target_name = 'x'" and with settings
// such as "work_mem=8MB", or returns an error if the target cannot be reached.
func (b *Backup) Recover(target string, options ...string) (*Server, error) {
	settings := fmt.Sprintf(`restore_command = 'cp %s/%%f %%p'
%s
recovery_target_action = 'promote'
archive_mode = off
`, b.Archive(), target)
	for name, text := range map[string]string{"recovery.signal": "", "postgresql.auto.conf": settings} {
		path := filepath.Join(b.Folder(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
		if err := b.into.give(path); err != nil {
			return nil, err
		}
	}
	if err := b.into.run(options); err != nil {
		b.into.keeper = nil // the keeper has ended
		return nil, err
	}
	// The server accepts connections before it has reached the time, and exits when it cannot reach it.
	for {
		recovering, err := b.into.recovering()
		if err != nil {
			log, _ := os.ReadFile(b.into.log()) // it may not exist
			return nil, fmt.Errorf("%w\n%s", err, log)
		}
		if !recovering {
			return b.into, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// recovering reports whether a server has not yet reached the time of its recovery.
func (s *Server) recovering() (is bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close(ctx) }() // its error would not matter
	err = conn.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&is)
	return is, err
}
