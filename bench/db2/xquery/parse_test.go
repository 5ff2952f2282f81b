package xquery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/bench/db2/xquery"
)

// What only XQuery 3.1 or the W3C's update has is refused, and what Db2 has but no statement uses.
func TestParse_Refused(t *testing.T) {
	for name, query := range map[string]string{
		"FollowingAxis":        `$d/a/following::b`,
		"AncestorAxis":         `$d/a/ancestor::b`,
		"SiblingAxis":          `$d/a/following-sibling::b`,
		"TryCatch":             `try {1 div 0} catch * {2}`,
		"Switch":               `switch ($a) case 1 return 2 default return 3`,
		"Typeswitch":           `typeswitch ($a) case xs:string return 2 default return 3`,
		"Validate":             `validate {$d}`,
		"ValidateLax":          `validate lax {$d}`,
		"Concatenation":        `"a" || "b"`,
		"SimpleMap":            `$d/a ! string(.)`,
		"Arrow":                `$a => upper-case()`,
		"Map":                  `map {"a": 1}`,
		"Array":                `array {1, 2}`,
		"SquareArray":          `[1, 2]`,
		"InlineFunction":       `function($a) {$a}`,
		"FunctionReference":    `fn:upper-case#1`,
		"DynamicCall":          `$f(1)`,
		"Lookup":               `$m?a`,
		"GroupBy":              `for $a in $d group by $a return $a`,
		"Count":                `for $a in $d count $n return $n`,
		"Window":               `for tumbling window $w in $d start when true() return $w`,
		"SecondFor":            `for $a in $d where $a for $b in $a return $b`,
		"TypedVariable":        `for $a as xs:string in $d return $a`,
		"InstanceOf":           `$a instance of xs:string`,
		"TreatAs":              `$a treat as xs:string`,
		"W3CInsert":            `copy $n := $d modify insert nodes <a/> into $n return $n`,
		"W3CDelete":            `copy $n := $d modify delete node $n/a return $n`,
		"W3CReplace":           `copy $n := $d modify replace value of node $n/a with 1 return $n`,
		"NothingModified":      `copy $n := $d modify $n/a return $n`,
		"FunctionDeclaration":  `declare function local:a() {1}; local:a()`,
		"VariableDeclaration":  `declare variable $a := 1; $a`,
		"SchemaImport":         `import schema "u"; 1`,
		"ModuleImport":         `import module namespace m = "u"; 1`,
		"Version3":             `xquery version "3.1"; 1`,
		"Function3":            `fn:head($a)`,
		"HigherOrder":          `fn:for-each($a, $b)`,
		"ParseXML":             `parse-xml("<a/>")`,
		"Serialize":            `fn:serialize($a)`,
		"JoinWithoutSeparator": `fn:string-join($a)`,
		"RoundWithPlaces":      `fn:round($a, 2)`,
		"Doc":                  `fn:doc("file:///etc/passwd")`,
		"Math":                 `math:pi()`,
		"UnknownPrefix":        `$d/c:a`,
		"UnknownType":          `$a cast as xs:dateTimeStamp`,
		"TypeWithoutPrefix":    `$a cast as decimal`,
		"BracedName":           `$d/Q{u}a`,
		"StringTemplate":       "``[a]``",
		"Pragma":               `(# x:y #) {1}`,
		"Ordered":              `ordered {1}`,
		"Unfinished":           `$d/Customer/((`,
		"Rest":                 `$d )`,
		"WrongEnd":             `<a></b>`,
		"OpenBrace":            `<a>}</a>`,
		"AllowingEmpty":        `for $a allowing empty in $d return $a`,
		"DoubledQuote":         `"a ""b"""`,
		"NoPrefix":             `count($a)`,
		"ChildAxis":            `$d/child::a`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := xquery.Parse(query)
			var refused *xquery.Refused
			require.ErrorAs(t, err, &refused)
		})
	}
}

func TestQuery_Standard(t *testing.T) {
	for given, want := range map[string]string{
		`$d/a`: `$d/a`,
		`copy $n := $d modify do  delete $n/a return $n`: `copy $n := $d modify delete nodes $n/a return $n`,
		`copy $n := $d modify (do replace value of $n/a with "do", ` +
			`do insert <a>do insert</a> into $n/do) return $n`: `copy $n := $d modify (` +
			`replace value of node $n/a with "do", insert nodes <a>do insert</a> into $n/do) return $n`,
		`copy $n := $d modify do insert $n/do as last into $n/insert return $n`: `copy $n := $d modify insert nodes $n/do ` +
			`as last into $n/insert return $n`,
	} {
		q, err := xquery.Parse(given)
		require.NoError(t, err)
		require.Equal(t, want, q.Standard())
	}
}

func TestParse_Line(t *testing.T) {
	_, err := xquery.Parse("$d/a[\n$x\n=> b()]")
	var refused *xquery.Refused
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 3, refused.Line)
}
