package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Settings are settings of SQLite that a URL may name, sqlite:PATH?synchronous=normal&mmap_size=268435456, in place of
// the store's own.
type Settings map[string]string

// known are the settings that a URL may name, each with its form and a check.
var known = map[string]struct {
	form string
	ok   func(value string) bool
}{
	"synchronous": {"off, normal, full or extra", func(value string) bool {
		return slices.Contains([]string{"off", "normal", "full", "extra"}, value)
	}},
	"page_size": {"a power of two from 512 to 65536", func(value string) bool {
		n, err := strconv.Atoi(value)
		return err == nil && n >= 512 && n <= 65536 && n&(n-1) == 0
	}},
	"mmap_size":          {"a number of bytes", isCount},
	"wal_autocheckpoint": {"a number of pages", isCount},
	"cache_size": {"a number of pages, or of KiB below 0, for each connection", func(value string) bool {
		n, err := strconv.ParseInt(value, 10, 32)
		return err == nil && n != 0
	}},
}

func isCount(value string) bool {
	n, err := strconv.ParseInt(value, 10, 48)
	return err == nil && n >= 0
}

// parse returns the path of a URL, which is taken literally up to a question mark, and its settings.
func parse(url string) (path string, s Settings, err error) {
	path, query, found := strings.Cut(strings.TrimPrefix(url, Scheme+":"), "?")
	if !found {
		return path, nil, nil
	}
	s = make(Settings)
	for one := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(one, "=")
		setting, ok := known[name]
		switch {
		case !ok:
			return path, nil, fmt.Errorf("sqlite: there is no setting %q: after a ? come %s, as in "+
				"sqlite:PATH?synchronous=normal&cache_size=-65536; the path of a file cannot have a ?", name,
				strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case !setting.ok(value):
			return path, nil, fmt.Errorf("sqlite: %s is %q, but must be %s", name, value, setting.form)
		case s[name] != "":
			return path, nil, fmt.Errorf("sqlite: %s is set twice", name)
		}
		s[name] = value
	}
	return path, s, nil
}

// weak returns the setting with which a power failure may take back acknowledged writes, "" if none does.
func (s Settings) weak() string {
	if v := s["synchronous"]; v == "off" || v == "normal" {
		return "synchronous=" + v
	}
	return ""
}

// pragmas returns the pragmas of a connection: the store's own, NAME(VALUE), with the values of those that are set, and
// others that are set. The driver runs them in the order of their names.
func (s Settings) pragmas(own ...string) []string {
	all := []string{busyPragma, "journal_mode(WAL)"}
	for _, pragma := range own {
		if name, _, _ := strings.Cut(pragma, "("); s[name] == "" {
			all = append(all, pragma)
		}
	}
	for name, value := range s {
		all = append(all, name+"("+value+")")
	}
	return all
}

// setPageSize sets the size of the pages of an empty file, if it is set: the first write makes it permanent.
func (s Settings) setPageSize(ctx context.Context, path string) error {
	size := s["page_size"]
	if size == "" {
		return nil
	}
	return withDatabase(existing(path, "rw"), func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, "PRAGMA page_size = "+size+"; PRAGMA user_version = 0")
		return err
	})
}
