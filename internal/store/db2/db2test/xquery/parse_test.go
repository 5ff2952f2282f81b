package xquery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/db2/db2test/xquery"
)

// A construct that Db2 lacks, or that nobody has looked up in its manual yet, is refused.
func TestParse_Refused(t *testing.T) {
	for name, query := range map[string]string{
		"FollowingAxis":       `$d/a/following::b`,
		"TryCatch":            `try {1} catch * {2}`,
		"Typeswitch":          `typeswitch ($a) case xs:string return 2 default return 3`,
		"Concatenation":       `"a" || "b"`,
		"SimpleMap":           `$d/a ! string(.)`,
		"Arrow":               `$a => string()`,
		"Map":                 `map {"a": 1}`,
		"SquareArray":         `[1, 2]`,
		"FunctionReference":   `fn:string#1`,
		"DynamicCall":         `$f(1)`,
		"Lookup":              `$m?a`,
		"GroupBy":             `for $a in $d group by $a return $a`,
		"Window":              `for tumbling window $w in $d start when true() return $w`,
		"SecondFor":           `for $a in $d where $a for $b in $a return $b`,
		"TypedVariable":       `for $a as xs:string in $d return $a`,
		"InstanceOf":          `$a instance of xs:string`,
		"W3CInsert":           `copy $n := $d modify insert nodes <a/> into $n return $n`,
		"W3CDelete":           `copy $n := $d modify delete node $n/a return $n`,
		"W3CReplace":          `copy $n := $d modify replace value of node $n/a with 1 return $n`,
		"OtherUpdate":         `copy $n := $d modify do rename $n/a as "b" return $n`,
		"FunctionDeclaration": `declare function local:a() {1}; local:a()`,
		"Version3":            `xquery version "3.1"; 1`,
		"Function3":           `fn:head($a)`,
		"Last":                `$d/a[fn:last()]`, // a position, which no index serves
		"OtherArity":          `fn:substring($a)`,
		"UnknownPrefix":       `$d/c:a`,
		"UnknownType":         `$a castable as xs:dateTimeStamp`,
		"TypeWithoutPrefix":   `$a castable as decimal`,
		"BracedName":          `$d/Q{u}a`,
		"Pragma":              `(# x:y #) {1}`,
		"Unfinished":          `$d/Customer/((`,
		"UnfinishedComment":   `(: 1`,
		"UnfinishedString":    `"a`,
		"UnfinishedElement":   `<a>b`,
		"Rest":                `$d )`,
		"WrongEnd":            `<a></b>`,
		"Namespace":           `<a xmlns="u"/>`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := xquery.Parse(query)
			var refused *xquery.Refused
			require.ErrorAs(t, err, &refused)
		})
	}
}
