package db2

import (
	"regexp"
	"slices"
	"strings"
)

// A Design is one difference from the physical design of a setting, for a campaign that measures what it is worth. Its
// tables are in table spaces of their own, so that it can be in the database of another design.
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

var storageName = regexp.MustCompile(`\btpox_\w+`)

// apply returns the statements that create a schema with the design, from those of the default one.
func (d Design) apply(ddl []string) []string {
	if d == DefaultDesign {
		return ddl
	}
	if d == ManyIndexes {
		ddl = slices.Concat(ddl, split(source("schema_more_indexes")))
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
		designed = append(designed, storageName.ReplaceAllString(text, "${0}_"+string(d)))
	}
	return designed
}
