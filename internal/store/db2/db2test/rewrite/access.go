package rewrite

import (
	"maps"
	"slices"

	"brokerage/internal/store/db2/db2test/xquery"
)

// Access returns the tables with XML columns in which a statement looks for
// rows, each with the names of the indexes over XML by which Db2 could find the
// rows. Whether it does is for its optimizer to decide. The rules are those of
// IBM's manual:
//
//   - The path in the condition is the index's, or one that its wildcards stand
//     for, with the same namespaces ("Restrictiveness of index definitions"). A
//     text node is not its element ("Considerations when specifying text() nodes").
//   - The comparison must hold for each row found, and be in brackets: a Boolean is
//     an item too, so that XMLEXISTS of false is true ("XMLEXISTS predicate usage").
//   - It compares by the index's type ("Data type of literals"). HASHED serves equality
//     only ("Data types associated with index XML pattern expressions").
//   - A join converts both sides ("Join predicate conversion").
//
// If the manual says nothing, as about positions, Access returns no index.
func (c *Catalogue) Access(sql string) (access map[string][]string, err error) {
	defer func() { err = refused(recover()) }()
	tokens := lex(sql)
	c.mu.RLock()
	defer c.mu.RUnlock()
	s := &statement{Catalogue: c, aliases: c.aliases(tokens)}
	access = make(map[string][]string)
	if starts(tokens, "INSERT") {
		return access, nil
	}
	for _, name := range s.aliases {
		if slices.Contains(slices.Collect(maps.Values(c.tables[name])), "XML") {
			access[name] = nil
		}
	}
	for i := range tokens {
		if !tokens[i].is("XMLEXISTS") || i == 0 || !tokens[i-1].is("WHERE", "AND") {
			continue // NOT and OR also select rows that an index does not find
		}
		in, taken := inside(tokens[i+1:])
		if starts(tokens[i+1+taken:], "OR") {
			continue
		}
		q, args := s.passing(in)
		for _, found := range s.eligible(q, args) {
			if !slices.Contains(access[found.table], found.name) {
				access[found.table] = append(access[found.table], found.name)
			}
		}
	}
	return access, nil
}

// eligible returns the indexes that could serve a condition.
func (s *statement) eligible(q *xquery.Query, args []argument) (found []index) {
	for _, c := range comparisons(q.Body) {
		document, value := find(args, c.document), find(args, c.variable)
		if document < 0 || value < 0 || args[document].table == "" || c.positioned {
			continue
		}
		by := args[value].class
		if c.other != nil {
			if by = unknown; c.converted {
				by = character
			}
		}
		for _, i := range s.indexes {
			if i.serves(args[document], c.steps) && i.class == by && (c.equality || !i.hashed) {
				found = append(found, i)
			}
		}
	}
	return found
}
