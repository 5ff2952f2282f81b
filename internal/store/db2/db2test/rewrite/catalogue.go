package rewrite

import (
	"fmt"
	"hash/fnv"
	"maps"
	"strings"
	"sync"
)

// Unsupported names what the bench cannot do.
type Unsupported struct{ What string }

func (u *Unsupported) Error() string { return "unsupported: " + u.What }

// refuse ends the rewriting of a statement. It panics with an *Unsupported, which refused returns as an error.
func refuse(format string, args ...any) { panic(&Unsupported{fmt.Sprintf(format, args...)}) }

// refused returns what refuse has thrown, or nil. It panics again with anything else.
func refused(thrown any) error {
	if thrown == nil {
		return nil
	}
	if unsupported, ok := thrown.(*Unsupported); ok {
		return unsupported
	}
	panic(thrown) // a fault of this package
}

// Catalogue records what the statements of a database have created, as far as later statements need it.
type Catalogue struct {
	mu      sync.RWMutex
	tables  map[string]table
	indexes map[string]index
}

// table maps the columns of a table to their types, such as XML.
type table map[string]string

// index is an index over XML.
type index struct {
	name, table, column string
	steps               []string // of the pattern, as java/Index.java has it
	class               class
	unique, hashed      bool
}

// NewCatalogue returns the catalogue of an empty database.
func NewCatalogue() *Catalogue {
	return &Catalogue{tables: make(map[string]table), indexes: make(map[string]index)}
}

// Clone returns a catalogue for a copy of the database.
func (c *Catalogue) Clone() *Catalogue {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return &Catalogue{tables: maps.Clone(c.tables), indexes: maps.Clone(c.indexes)}
}

// statement is a statement that is being rewritten.
type statement struct {
	*Catalogue
	number  uint32            // the same for the same text, for the server's cache
	aliases map[string]string // from a table's name or alias to the table
	locks   bool              // USE AND KEEP … LOCKS
	locked  bool              // a unique index finds the row whose lock is kept
	kept    int
}

// Rewrite returns the statement for Derby. The error is an *Unsupported.
func (c *Catalogue) Rewrite(sql string) (derby string, err error) {
	defer func() { err = refused(recover()) }()
	tokens := lex(sql)
	switch {
	case starts(tokens, "CREATE"), starts(tokens, "DROP"), starts(tokens, "ALTER"):
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.definition(tokens), nil
	case starts(tokens, "BEGIN"):
		return block(tokens), nil
	case starts(tokens, "SET", "CURRENT", "LOCK", "TIMEOUT"), starts(tokens, "GRANT", "USAGE", "ON", "XSROBJECT"):
		return nothing(tokens), nil // the server's lock timeout is fixed
	case starts(tokens, "TRUNCATE"):
		return truncate(tokens), nil
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(sql)) // it never fails
	s := &statement{Catalogue: c, number: hash.Sum32() >> 1, aliases: c.aliases(tokens)}
	return s.manipulation(tokens), nil
}

// nothing returns a statement without effect, for one that is meaningless here.
func nothing(tokens []token) string {
	return "CALL BENCH.NOTHING(" + quoted(text(tokens)) + ")"
}

// aliases returns the tables of a statement by their names and aliases.
func (c *Catalogue) aliases(tokens []token) map[string]string {
	known := make(map[string]string)
	for i := range tokens {
		if !tokens[i].is("FROM", "JOIN", "UPDATE", "INTO") {
			continue
		}
		for at := i + 1; at < len(tokens) && (tokens[at].kind == 'w' || tokens[at].kind == 'q'); {
			name := tokens[at].name()
			for at++; at+1 < len(tokens) && tokens[at].kind == '.'; at += 2 {
				name = tokens[at+1].name() // without its schema: a database has one
			}
			if _, ok := c.tables[name]; !ok {
				break
			}
			if at < len(tokens) && tokens[at].is("AS") {
				at++
			}
			known[name] = name
			if at < len(tokens) &&
				(tokens[at].kind == 'q' || tokens[at].kind == 'w' && !clauses[strings.ToUpper(tokens[at].text)]) {
				known[tokens[at].name()] = name
				at++
			}
			if at >= len(tokens) || tokens[at].kind != ',' {
				break
			}
			at++
		}
	}
	return known
}

// clauses are the words that may follow a table and are not an alias.
var clauses = map[string]bool{
	"WHERE": true, "SET": true, "JOIN": true, "ON": true, "ORDER": true, "GROUP": true, "FETCH": true, "WITH": true,
	"UNION": true, "VALUES": true,
}
