package rewrite

import (
	"fmt"
	"hash/fnv"
	"maps"
	"strings"
	"sync"
)

// An Unsupported error says what the bench cannot do.
type Unsupported struct{ What string }

func (u *Unsupported) Error() string { return "unsupported: " + u.What }

// refuse panics with *Unsupported, which Rewrite recovers.
func refuse(format string, args ...any) { panic(&Unsupported{fmt.Sprintf(format, args...)}) }

// A Catalogue is what the statements of a database have created so far, as far as later ones need it.
type Catalogue struct {
	mu      sync.RWMutex
	tables  map[string]table
	indexes map[string]index
}

// A table is the types of a table's columns, XML being one.
type table map[string]string

// An index over XML, with keys of type VARCHAR.
type index struct {
	name, table, column string
	steps               []string // of the pattern, as xquery.Step has them
	unique              bool
}

// NewCatalogue returns the catalogue of an empty database.
func NewCatalogue() *Catalogue {
	return &Catalogue{tables: make(map[string]table), indexes: make(map[string]index)}
}

// CopyFrom makes the catalogue one of a copy of another database.
func (c *Catalogue) CopyFrom(from *Catalogue) {
	from.mu.RLock()
	defer from.mu.RUnlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tables, c.indexes = maps.Clone(from.tables), maps.Clone(from.indexes)
}

// A statement is one that is being rewritten.
type statement struct {
	*Catalogue
	number  uint32            // the same whenever the same text comes, for the server's cache
	aliases map[string]string // from a table's name or alias to the table
	locks   bool              // USE AND KEEP … LOCKS
	locked  bool              // a row was found whose lock is kept
	kept    int
}

// Rewrite returns the statement for Derby. The error is an *Unsupported.
func (c *Catalogue) Rewrite(sql string) (rewritten string, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			unsupported, ok := thrown.(*Unsupported)
			if !ok {
				panic(thrown) // a bug of ours
			}
			err = unsupported
		}
	}()
	tokens := lex(sql)
	switch {
	case starts(tokens, "CREATE"):
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.create(tokens), nil
	case starts(tokens, "CALL", "SYSPROC", ".", "ADMIN_CMD"), starts(tokens, "SET", "CURRENT", "LOCK", "TIMEOUT"):
		return nothing(tokens), nil
	case starts(tokens, "BEGIN"):
		return register(text(tokens)), nil
	case starts(tokens, "TRUNCATE", "TABLE") && len(tokens) == 4 && tokens[3].is("IMMEDIATE"):
		// Derby's own would leave the tables of keys as they are.
		return "DELETE FROM " + tokens[2].name(), nil
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(sql)) // it never fails
	s := &statement{Catalogue: c, number: hash.Sum32() >> 1, aliases: c.aliases(tokens)}
	return s.manipulation(tokens), nil
}

// nothing returns a statement in place of one that means nothing here.
func nothing(tokens []token) string { return "CALL BENCH.NOTHING(" + quoted(text(tokens)) + ")" }

// aliases returns the tables of a statement, and their other names in it.
func (c *Catalogue) aliases(tokens []token) map[string]string {
	known := make(map[string]string)
	for i := range tokens {
		if !tokens[i].is("FROM", "UPDATE", "INTO") {
			continue
		}
		for rest := tokens[i+1:]; len(rest) > 0 && c.tables[rest[0].name()] != nil; rest = rest[1:] {
			name := rest[0].name()
			known[name] = name
			if rest = rest[1:]; len(rest) > 1 && rest[0].is("AS") {
				known[rest[1].name()] = name
				rest = rest[2:]
			}
			if len(rest) == 0 || rest[0].kind != ',' {
				break
			}
		}
	}
	return known
}

// quoted returns a text as a literal of SQL.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
