package db2

import (
	"slices"
	"strings"
)

// A Design is one difference from the physical design of a setting, for a campaign that measures what it is worth.
type Design string

// The designs.
const (
	DefaultDesign Design = ""
	Uncompressed  Design = "uncompressed"
	OutOfLine     Design = "out_of_line" // no document in its row
	FewIndexes    Design = "few_indexes" // only those by which a document is found
	ManyIndexes   Design = "many_indexes"
)

// Designs are all designs but the default one.
var Designs = []Design{Uncompressed, OutOfLine, FewIndexes, ManyIndexes}

// queryIndexes are the indexes that FewIndexes does not have.
var queryIndexes = []string{"orders_account", "security_sector", "security_pe", "security_yield"}

// apply returns the statements that create tables and indexes of the design, from those of the default one.
func (d Design) apply(ddl []string) []string {
	if d == DefaultDesign {
		return ddl
	}
	if d == ManyIndexes {
		ddl = slices.Concat(ddl, statementsOf(source("schema_more_indexes"), true))
	}
	var designed []string
	for _, text := range ddl {
		switch d {
		case DefaultDesign, ManyIndexes: // every statement as it is
		case Uncompressed:
			text = strings.ReplaceAll(text, " COMPRESS YES ADAPTIVE", " COMPRESS NO")
		case OutOfLine:
			text = strings.ReplaceAll(text, " INLINE LENGTH 16288", "")
		case FewIndexes:
			if slices.ContainsFunc(queryIndexes, func(name string) bool { return strings.Contains(text, " "+name+" ON ") }) {
				continue
			}
		}
		designed = append(designed, text)
	}
	return designed
}
