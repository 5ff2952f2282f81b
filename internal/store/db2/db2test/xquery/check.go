package xquery

import (
	"fmt"
	"maps"
	"strings"
)

// types are the atomic types that can be cast to, and whose names are functions:
// "Types listed by category", "Constructor functions".
var types = map[string]map[string]bool{
	nsTypes: set(`string boolean decimal float double integer nonPositiveInteger negativeInteger nonNegativeInteger
		positiveInteger long int short byte unsignedLong unsignedInt unsignedShort unsignedByte
		date dateTime time duration gYearMonth gYear gMonthDay gMonth gDay hexBinary base64Binary anyURI
		normalizedString token language NMTOKEN Name NCName ID IDREF ENTITY`),
	nsDurations: set("dayTimeDuration yearMonthDuration untypedAtomic"),
}

func set(names string) map[string]bool {
	s := make(map[string]bool)
	for n := range strings.FieldsSeq(names) {
		s[n] = true
	}
	return s
}

// arity is the number of arguments of a function.
type arity struct{ least, most int }

const any_ = 1 << 20

// functions are the functions of "Db2 XQuery functions by category".
var functions = map[string]map[string]arity{
	nsFunctions: merge(
		// String functions.
		of(1, 1, "codepoints-to-string lower-case upper-case string-to-codepoints"),
		of(2, 3, "compare contains ends-with starts-with substring-after substring-before"), of(2, any_, "concat"),
		of(2, 3, "matches tokenize"), of(0, 1, "normalize-space string string-length"), of(1, 2, "normalize-unicode"),
		of(3, 4, "replace"), of(2, 2, "string-join"), of(2, 3, "substring"), of(3, 3, "translate"),
		// Boolean functions.
		of(1, 1, "boolean not"), of(0, 0, "false true"),
		// Number functions.
		of(1, 1, "abs ceiling floor round"), of(1, 2, "round-half-to-even"), of(0, 1, "number"),
		// Date, time, and duration functions.
		of(1, 2, "adjust-date-to-timezone adjust-dateTime-to-timezone adjust-time-to-timezone"),
		of(0, 0, "current-date current-dateTime current-time implicit-timezone"), of(2, 2, "dateTime"),
		of(1, 1, `day-from-date day-from-dateTime days-from-duration hours-from-dateTime hours-from-duration hours-from-time
			minutes-from-dateTime minutes-from-duration minutes-from-time month-from-date month-from-dateTime
			months-from-duration seconds-from-dateTime seconds-from-duration seconds-from-time timezone-from-date
			timezone-from-dateTime timezone-from-time year-from-date year-from-dateTime years-from-duration`),
		// Sequence functions.
		of(1, 1, "avg count data empty exactly-one exists one-or-more reverse unordered zero-or-one"), of(1, 2, "max min sum"),
		of(2, 3, "deep-equal index-of"), of(1, 2, "distinct-values"), of(3, 3, "insert-before"), of(0, 0, "last position"),
		of(2, 2, "remove"), of(2, 3, "subsequence"),
		// QName functions.
		of(1, 1, "in-scope-prefixes local-name-from-QName namespace-uri-from-QName"), of(2, 2, "namespace-uri-for-prefix QName resolve-QName"),
		// Node functions.
		of(0, 1, "local-name name namespace-uri root"), of(1, 1, "node-name"),
		// Other functions.
		of(0, 0, "default-collation"),
	),
	nsDB2: merge(of(0, 0, "current-local-date current-local-dateTime current-local-time local-timezone"),
		of(1, any_, "sqlquery"), of(1, 1, "xmlcolumn")),
}

func of(least, most int, names string) map[string]arity {
	m := make(map[string]arity)
	for name := range set(names) {
		m[name] = arity{least, most}
	}
	return m
}

func merge(all ...map[string]arity) map[string]arity {
	m := make(map[string]arity)
	for _, part := range all {
		maps.Copy(m, part)
	}
	return m
}

// check checks the names of functions and types.
func (p *parser) check(body *Node) (err error) {
	body.Walk(func(n *Node) {
		problem := ""
		switch n.Kind {
		case Call:
			problem = calls(n)
		case Cast:
			if !types[n.Name.URI][n.Name.Local] {
				problem = fmt.Sprintf("the type %s is not in Db2's XQuery", n.Name)
			}
		default: // other kinds were checked when they were read
		}
		if problem != "" && err == nil {
			err = &Refused{Line: 1 + strings.Count(p.text[:n.Pos], "\n"), Problem: problem}
		}
	})
	return err
}

func calls(n *Node) (problem string) {
	given := len(n.Kids)
	if types[n.Name.URI][n.Name.Local] && given == 1 {
		return ""
	}
	known, ok := functions[n.Name.URI][n.Name.Local]
	switch {
	case !ok:
		return fmt.Sprintf("the function %s is not in Db2's XQuery (SQL16009N)", n.Name)
	case given < known.least || given > known.most:
		return fmt.Sprintf("the function %s does not take %d arguments", n.Name, given)
	}
	return ""
}
