package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"brokerage/internal/store/postgres"
)

// Tune applies tuned.conf by ALTER SYSTEM, except for the settings that need a restart. None of them is about
// durability.
func (e postgresEngine) Tune(ctx context.Context) error {
	if !e.tuned {
		return nil
	}
	if err := e.Untune(ctx); err != nil { // the note must be of the settings as they were found
		return err
	}
	tuned, err := tunedSettings()
	if err != nil {
		return err
	}
	err = e.admin(ctx, func(a *postgres.Admin) error {
		changes, err := taken(ctx, a, tuned)
		if err != nil {
			return err
		}
		before, err := a.Altered(ctx, slices.Collect(maps.Keys(changes)))
		if err != nil {
			return err
		}
		if err := e.note(ctx, before); err != nil {
			return err
		}
		return a.Alter(ctx, changes)
	})
	if err == nil {
		return nil
	}
	if back := untune(ctx, e); back != nil {
		return errors.Join(err, back)
	}
	if postgres.Forbidden(err) {
		return &NotHereError{"the role may not change the server's settings (ALTER SYSTEM)"}
	}
	return err
}

// taken returns the settings that a running server accepts.
func taken(ctx context.Context, a *postgres.Admin, tuned []postgres.Setting) (map[string]*string, error) {
	there, err := a.Settings(ctx, namesOf(tuned))
	changes := make(map[string]*string)
	for _, s := range there {
		wanted := tuned[slices.IndexFunc(tuned, func(t postgres.Setting) bool { return t.Name == s.Name })].Value
		if s.Takes(wanted) {
			changes[s.Name] = &wanted
		}
	}
	return changes, err
}

// note writes settings where Untune finds them, also after a campaign was killed.
func (e postgresEngine) note(ctx context.Context, before map[string]*string) error {
	return writeJSON(ctx, e.before, 0o600, before)
}

// Untune restores the server's settings.
func (e postgresEngine) Untune(ctx context.Context) error {
	text, err := os.ReadFile(e.before)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var before map[string]*string
	if err := json.Unmarshal(text, &before); err != nil {
		return fmt.Errorf("%s: %w", e.before, err)
	}
	err = e.admin(ctx, func(a *postgres.Admin) error {
		now, err := a.Altered(ctx, slices.Collect(maps.Keys(before)))
		if err != nil {
			return err
		}
		// What is as it was found, because Tune may not change it, nobody need put back.
		maps.DeleteFunc(before, func(name string, was *string) bool { return same(was, now[name]) })
		return a.Alter(ctx, before)
	})
	if err != nil {
		return fmt.Errorf("the settings of the server are to be put back as %s has them: %w", e.before, err)
	}
	return os.Remove(e.before)
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// Server returns the postmaster when it runs on this machine: it is the parent of the process that serves our
// connection. The title of that process shows that it is not another one of the same number, as in a container or on
// another computer.
func (e postgresEngine) Server(ctx context.Context) (pid int, err error) {
	err = e.admin(ctx, func(a *postgres.Admin) error {
		backend, title := a.Backend()
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", backend))
		if err != nil || !strings.HasPrefix(string(text), "postgres: ") || !strings.Contains(string(text), title) {
			return nil //nolint:nilerr // it is not here, or this is no Linux
		}
		p, _ := readProcessStat(backend)
		pid = p.parent
		return nil
	})
	return pid, err
}
