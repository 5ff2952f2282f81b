package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"brokerage/internal/drive"
	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// side is one of the two sides of a comparison, up and ready.
type side struct {
	name     string      // as results show it
	crew     *drive.Crew // its users
	about    *result.Run // the target, its dataset and settings
	direct   bool        // the store is in this process
	store    tpox.Store  // the open store of a direct side,
	url      string      // and what it was opened with
	service  int         // process of the service, 0 if unknown
	database int         // parent of the processes of the database, 0 if unknown or none
	closers  []func() error
}

const execPrefix = "exec:"

// CheckSides returns an error if a text names no side, or if both name one file that each would open for itself.
func CheckSides(a, b string) error {
	for i, text := range []string{a, b} {
		if err := checkSide(text); err != nil {
			return fmt.Errorf("%c: %w", 'A'+i, err)
		}
	}
	one, err1 := store.Find(a)
	two, err2 := store.Find(b)
	if err1 == nil && err2 == nil && a != b && one.Path() != "" &&
		filepath.Clean(one.Path()) == filepath.Clean(two.Path()) {
		return fmt.Errorf("both sides name one file, %s: each side needs a database of its own, loaded with the same dataset",
			one.Path())
	}
	return nil
}

func checkSide(text string) error {
	if command, ok := strings.CutPrefix(text, execPrefix); ok {
		if strings.TrimSpace(command) == "" {
			return errors.New("exec: has no command; example: exec:./brokerage serve --db sqlite:a.db")
		}
		return nil
	}
	if isService(text) {
		_, err := drive.ServiceURL(text)
		return err
	}
	if info, err := os.Stat(text); err == nil && info.Mode().IsRegular() {
		return fmt.Errorf("%s is a file, not a side: a database is sqlite:%[1]s, and brokerage report compares results",
			text)
	}
	_, err := store.Find(text)
	if err != nil {
		return fmt.Errorf(
			"%w; a side is also the URL of a service, http://HOST:PORT, or a command that starts one, exec:COMMAND",
			err)
	}
	return nil
}

func isService(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// open opens a side: it starts a command, or opens a database, and connects the users. The caller closes the side, even
// after an error. A side of the same text as the other one shares its database.
func (c *Config) open(ctx context.Context, text string, other *side) (s *side, err error) {
	s = &side{name: shown(text)}
	var target drive.Target
	command, isCommand := strings.CutPrefix(text, execPrefix)
	switch {
	case isCommand:
		running, err := start(ctx, command, startWithin)
		if err != nil {
			return s, err
		}
		s.closers = append(s.closers, func() error { return running.Stop(stopWithin) })
		s.service = running.PID()
		s.database = serverOf(ctx, databaseOf(command))
		target, err = drive.NewHTTP(running.URL, c.Token, c.TLS)
		if err != nil {
			return s, err
		}
	case isService(text):
		if target, err = drive.NewHTTP(text, c.Token, c.TLS); err != nil {
			return s, err
		}
	default:
		s.direct, s.database = true, serverOf(ctx, text)
		if target, err = s.openStore(ctx, text, other); err != nil {
			return s, err
		}
	}
	s.crew, err = drive.Gather(ctx, drive.Plan{
		Definition: c.Definition, Users: c.Users, Rate: c.Rate, Seed: c.Seed, Duration: c.Within,
	}, target)
	if err != nil {
		return s, err
	}
	s.about = s.crew.Run
	s.closers = append(s.closers, func() error { s.crew.Close(); return nil })
	return s, nil
}

// openStore opens a database that exists.
func (s *side) openStore(ctx context.Context, url string, other *side) (drive.Target, error) {
	database, err := store.Find(url)
	if err == nil {
		err = database.RequireExisting()
	}
	if err != nil {
		return nil, err
	}
	if other != nil && other.store != nil && other.url == url {
		return drive.NewDirect(other.store, url)
	}
	opened, err := database.Open(ctx, store.Options{Rules: tpox.DefaultRules})
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, opened.Close)
	s.store, s.url = opened, url
	return drive.NewDirect(opened, url)
}

// close closes what was opened, in reverse order.
func (s *side) close() (err error) {
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, s.closers[i]())
	}
	s.closers = nil
	return err
}

// shown returns what a result may show of a side: no passwords.
func shown(text string) string {
	if command, ok := strings.CutPrefix(text, execPrefix); ok {
		return execPrefix + format.Arguments(command, strings.Fields(command))
	}
	if isService(text) {
		return format.URL(text)
	}
	if database, err := store.Find(text); err == nil {
		return database.Name()
	}
	return format.URL(text)
}

// databaseOf returns the --db of a command, "" if there is none.
func databaseOf(command string) string {
	words := strings.Fields(command)
	for i, word := range words {
		if url, ok := strings.CutPrefix(word, "--db="); ok {
			return url
		}
		if word == "--db" && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

// serverOf returns the parent process of a database's server, 0 if it is not on this computer or there is none.
func serverOf(ctx context.Context, url string) int {
	database, err := store.Find(url)
	if err != nil {
		return 0
	}
	watcher, err := database.Watch(ctx)
	if err != nil || watcher == nil {
		return 0 // opening it says why
	}
	defer func() { _ = watcher.Close() }() // nothing was written
	return watcher.Process()
}
