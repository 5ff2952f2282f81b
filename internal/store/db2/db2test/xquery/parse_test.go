package xquery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/db2/db2test/xquery"
)

const custacc = `declare default element namespace "http://tpox-benchmark.com/custacc"; `

func TestParse(t *testing.T) {
	for name, query := range map[string]string{
		"Path":             custacc + `$d/Customer[@id = $id][Accounts/Account/@id = $a][fn:count(Accounts/Account) > 1]`,
		"AnyName":          `$d/*/@*[. = 1]`,
		"Prefix":           `declare namespace c="u"; ($d//c:a, $d/text())`,
		"FLWOR":            `for $a in $d/a, $b in $a/b let $c := $b, $e := 1 where $c = $e return ($a, $e)`,
		"If":               `if (fn:not($a)) then "x" else ()`,
		"Operators":        `-$a * 2 + 3 - 5 idiv 6 mod 7`,
		"Comparisons":      `($a != $b, $a <= $b or $a and $b)`,
		"Casts":            `($a castable as xs:decimal, xs:decimal($a))`,
		"Functions":        `concat("a", fn:substring("abc", 2), string(1), "")`,
		"DirectElement":    `<a x="{$y}-1"><b/>text {$z, 1}</a>`,
		"Comment":          `(: a comment :) 1`,
		"Strings":          `("a ""b"" 'c'", 'it''s')`,
		"Insert":           `copy $n := $d modify do insert <a/> as last into $n/b return $n`,
		"InsertAttribute":  `copy $n := $d modify do insert attribute a {1} into $n/b return $n`,
		"Delete":           `copy $n := $d modify do delete $n/b return $n`,
		"Several":          `copy $n := $d modify (do replace value of $n/b with 1, do delete $n/c) return $n`,
		"NameLikeAKeyword": `$d/for/let/if/do/element/return`,
		"Root":             `/a/b`,
		"Anywhere":         `//a`,
		"ConditionalUpdate": `copy $n := $d modify for $a in $n/a return if ($a/b) then do delete $a/b
			else do insert <b/> into $a return $n`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := xquery.Parse(query)
			require.NoError(t, err)
		})
	}
}

// What Db2 does not have, or has and nobody has looked up yet, is refused.
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

func TestQuery_Standard(t *testing.T) {
	for given, want := range map[string]string{
		`$d/a`: `$d/a`,
		`copy $n := $d modify do  delete $n/a[. = "do delete"] return $n`: `copy $n := $d modify ` +
			`delete nodes $n/a[. = "do delete"] return $n`,
		`copy $n := $d modify (do replace value of $n/a with 1, do insert <do>do insert</do> into $n/do) return 1`: `` +
			`copy $n := $d modify (replace value of node $n/a with 1, insert nodes <do>do insert</do> into $n/do) return 1`,
	} {
		q, err := xquery.Parse(given)
		require.NoError(t, err)
		require.Equal(t, want, q.Standard())
	}
}

func TestParse_Line(t *testing.T) {
	var refused *xquery.Refused
	_, err := xquery.Parse("$d/a[\n$x\n=> b()]")
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 3, refused.Line)
}
