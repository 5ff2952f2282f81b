package sqlite

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// known holds the settings of SQLite that a URL may set in place of the store's own values, as in
// sqlite:PATH?synchronous=normal&mmap_size=268435456, each with its form and a check.
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
	"cache_size": {"a number of pages, or a negative number of KiB, for each connection", func(value string) bool {
		n, err := strconv.ParseInt(value, 10, 32)
		return err == nil && n != 0
	}},
}

func isCount(value string) bool {
	n, err := strconv.ParseInt(value, 10, 48)
	return err == nil && n >= 0
}

// parse returns the path and the settings of a URL. The path is taken literally up to a question mark.
func parse(url string) (path string, settings map[string]string, err error) {
	path, query, found := strings.Cut(strings.TrimPrefix(url, Scheme+":"), "?")
	if !found {
		return path, nil, nil
	}
	settings = make(map[string]string)
	for one := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(one, "=")
		setting, ok := known[name]
		switch {
		case !ok:
			return path, nil, fmt.Errorf("sqlite: unknown setting %q: use some of %s after the ?, as in "+
				"sqlite:PATH?synchronous=normal&cache_size=-65536; a path cannot contain ?", name,
				strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case !setting.ok(value):
			return path, nil, fmt.Errorf("sqlite: %s is %q, but must be %s", name, value, setting.form)
		case settings[name] != "":
			return path, nil, fmt.Errorf("sqlite: %s is set twice", name)
		}
		settings[name] = value
	}
	return path, settings, nil
}
