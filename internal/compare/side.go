package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"brokerage/internal/drive"
	"brokerage/internal/format"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// side is one of the two sides of a comparison.
type side struct {
	name     string          // as results show it: without passwords
	command  string          // that starts a service; "" for none
	database *store.Database // that is used directly; nil for a service
	url      string          // of the service or the database; of a command, once it serves

	crew    *drive.Crew    // its users
	about   *result.Run    // the target, its dataset and settings
	process *drive.Process // that the command has started
	store   tpox.Store     // that the side has opened itself
	says    bool           // whether it is a service that was not started here and reports its processor time
	server  int            // parent of the processes of the database; 0 if they are not visible here or there are none
}

const (
	execPrefix = "exec:"
	portMark   = "{port}" // in a command: a free port of this computer, at which its service will answer
)

// How long a command may take until it serves, until it has ended, and between two slices.
const (
	startWithin = time.Minute
	stopWithin  = 30 * time.Second
	hookWithin  = time.Minute
)

// newSide returns the side that a text names, which is not open yet.
func newSide(text string) (*side, error) {
	if command, ok := strings.CutPrefix(text, execPrefix); ok {
		if strings.TrimSpace(command) == "" {
			return nil, errors.New("exec: has no command; example: exec:./brokerage serve --db sqlite:a.db")
		}
		return &side{name: execPrefix + format.Arguments(command, strings.Fields(command)), command: command}, nil
	}
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		_, err := drive.ServiceURL(text)
		return &side{name: format.URL(text), url: text}, err
	}
	database, err := store.Find(text)
	if err != nil {
		return nil, fmt.Errorf("%w; a side may also be the URL of a service, http://HOST:PORT, or a command that starts "+
			"one, exec:COMMAND", err)
	}
	return &side{name: database.Name(), database: &database, url: text}, nil
}

// open starts the command or opens the database, and connects the users. The caller closes the side, even after an
// error. A database that the other side has opened already is shared.
func (s *side) open(ctx context.Context, c *Config, other *side) (err error) {
	var target drive.Target
	if s.database == nil {
		target, err = s.openService(ctx, c)
	} else {
		target, err = s.openDatabase(ctx, other)
	}
	if err != nil {
		return err
	}
	s.crew, err = drive.Gather(ctx, drive.Plan{
		Definition: c.Definition, Users: c.Users, Rate: c.Rate, Seed: c.Seed, Duration: c.Within,
	}, target)
	if err != nil {
		return err
	}
	s.about = s.crew.Run
	s.says = s.database == nil && s.command == "" && !math.IsNaN(s.crew.CPUSeconds(ctx))
	return nil
}

// databaseFlag finds the database in a command that starts a service.
var databaseFlag = regexp.MustCompile(`--db[= ]["']?([^\s"']+)`)

func (s *side) openService(ctx context.Context, c *Config) (drive.Target, error) {
	if s.command != "" {
		command, answers := s.command, make(chan string, 1)
		if strings.Contains(command, portMark) {
			port, err := freePort(ctx)
			if err != nil {
				return nil, err
			}
			command = strings.ReplaceAll(command, portMark, port)
			bounded, cancel := context.WithTimeout(ctx, startWithin)
			defer cancel()
			go awaitAnswer(bounded, "http://127.0.0.1:"+port, answers)
		}
		process, err := startShell(command)
		if err != nil {
			return nil, err
		}
		s.process = process
		if err := process.Listens(ctx, answers, startWithin); err != nil {
			s.process = nil // it was killed
			return nil, err
		}
		s.url = process.URL
		if flag := databaseFlag.FindStringSubmatch(s.command); flag != nil {
			if database, err := store.Find(flag[1]); err == nil {
				s.server = serverOf(ctx, database)
			}
		}
	}
	return drive.NewHTTP(s.url, c.Token, c.TLS)
}

// freePort returns a port that nothing listens on.
func freePort(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String()) // in the form that net writes
	return port, listener.Close()
}

// awaitAnswer asks a service for its version until it answers.
func awaitAnswer(ctx context.Context, url string, answers chan<- string) {
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/version", http.NoBody)
		if err != nil {
			return
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			answers <- url
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (s *side) openDatabase(ctx context.Context, other *side) (drive.Target, error) {
	s.server = serverOf(ctx, *s.database)
	if other.store != nil && other.url == s.url {
		return drive.NewDirect(other.store, s.url)
	}
	if err := s.database.RequireExisting(); err != nil {
		return nil, err
	}
	opened, err := s.database.Open(ctx, store.Options{Rules: tpox.DefaultRules})
	if err != nil {
		return nil, err
	}
	s.store = opened
	return drive.NewDirect(opened, s.url)
}

// serverOf returns the parent process of a database's server, 0 if it is not on this computer or there is none.
func serverOf(ctx context.Context, database store.Database) int {
	watcher, err := database.Watch(ctx)
	if err != nil || watcher == nil {
		return 0 // opening the database returns the reason
	}
	defer func() { _ = watcher.Close() }() // nothing was written
	return watcher.Process()
}

// close ends what was opened and started.
func (s *side) close() (err error) {
	if s.crew != nil {
		s.crew.Close()
	}
	if s.process != nil {
		err = s.process.Stop(stopWithin)
	}
	if s.store != nil {
		err = errors.Join(err, s.store.Close())
	}
	return err
}

// startShell starts a command in a shell. A service listens on a free port, unless the command has --listen.
func startShell(text string) (*drive.Process, error) {
	cmd := drive.Shell(text)
	cmd.Env = append(os.Environ(), "BROKERAGE_LISTEN=127.0.0.1:0")
	return drive.Start(cmd)
}

// hook runs a command between two slices.
func hook(ctx context.Context, text string) error {
	p, err := startShell(text)
	if err == nil {
		err = p.Wait(ctx, hookWithin)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return nil
}
