package xquery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/db2/db2test/xquery"
)

const custacc = `declare default element namespace "http://tpox-benchmark.com/custacc"; `

func TestCheck_Allowed(t *testing.T) {
	for name, query := range map[string]string{
		"Path":             custacc + `$d/Customer[@id = $id][Accounts/Account/@id = $account][fn:count(Accounts/Account) > 1]`,
		"AnyName":          `$d/*/@*[. = 1]`,
		"NameOfAny":        `declare namespace c="u"; ($d//c:*, $d/*:Customer)`,
		"Axes":             `$d/child::a/attribute::b/parent::a/descendant::c/self::node()/descendant-or-self::node()/..`,
		"KindTests":        `$d/a/(text() | comment() | processing-instruction() | element(b) | attribute(c))`,
		"FLWOR":            `for $a at $i in $d/a, $b in $a/b let $c := $b, $e := 1 where $c = $e order by $c descending empty least, $e return ($a, $i)`,
		"Quantified":       `some $a in $d/a, $b in $d/b satisfies $a = $b`,
		"If":               `if (fn:not($a)) then "x" else ()`,
		"Operators":        `-$a * 2 + 3 div 4 - 5 idiv 6 mod 7 to 9`,
		"Comparisons":      `($a eq $b, $a << $b, $a is $b, $a != $b, $a <= $b or $a and $b)`,
		"Sets":             `$a union $b | $c intersect $e except $f`,
		"Casts":            `($a cast as xs:decimal?, $a castable as xs:date, xs:decimal($a), xdt:dayTimeDuration("P1D"))`,
		"Functions":        `fn:concat(upper-case("a"), fn:substring("abc", 2), string(1), db2-fn:current-local-date())`,
		"DirectElement":    `<a x="{$y}-{{}}" xmlns="u" xmlns:p="v"><p:b/>text {{ }} {$z, 1} <![CDATA[ {x} ]]></a>`,
		"ComputedElements": `element a {attribute b {1}, element {"c"} {}, text {"x"}, document {<a/>}}`,
		"Comment":          `(: a (: nested :) comment :) 1`,
		"Strings":          `("a ""b"" 'c'", 'it''s')`,
		"Insert":           `copy $n := $d modify do insert <a/> as last into $n/b return $n`,
		"InsertAttribute":  `copy $n := $d modify do insert attribute a {1} into $n/b return $n`,
		"Delete":           `transform copy $n := $d modify do delete $n/b return $n`,
		"Replace":          `copy $n := $d modify (do replace value of $n/b with 1, do replace $n/c with <c/>) return $n`,
		"Rename":           `copy $n := $d modify do rename $n/b as "c" return $n`,
		"ConditionalUpdate": `copy $n := $d modify for $a in $n/a return if ($a/b) then do delete $a/b
			else do insert <b/> into $a return $n`,
		"NameLikeAKeyword": `$d/for/let/if/do/element/return`,
		"Version":          `xquery version "1.0"; declare boundary-space preserve; declare construction strip; 1`,
		"Root":             `/a/b`,
		"Anywhere":         `//a`,
	} {
		t.Run(name, func(t *testing.T) { require.NoError(t, xquery.Check(query)) })
	}
}

func TestCheck_Refused(t *testing.T) {
	for name, c := range map[string]struct{ query, problem string }{
		"FollowingAxis":        {`$d/a/following::b`, "axis following"},
		"AncestorAxis":         {`$d/a/ancestor::b`, "axis ancestor"},
		"SiblingAxis":          {`$d/a/following-sibling::b`, "axis following-sibling"},
		"TryCatch":             {`try {1 div 0} catch * {2}`, "try expressions"},
		"Switch":               {`switch ($a) case 1 return 2 default return 3`, "switch expressions"},
		"Typeswitch":           {`typeswitch ($a) case xs:string return 2 default return 3`, "typeswitch expressions"},
		"Validate":             {`validate {$d}`, "validate expressions"},
		"ValidateLax":          {`validate lax {$d}`, "validate"},
		"Concatenation":        {`"a" || "b"`, "operator ||"},
		"SimpleMap":            {`$d/a ! string(.)`, "operator !"},
		"Arrow":                {`$a => upper-case()`, "operator =>"},
		"Map":                  {`map {"a": 1}`, "map expressions"},
		"Array":                {`array {1, 2}`, "array expressions"},
		"SquareArray":          {`[1, 2]`, "arrays"},
		"InlineFunction":       {`function($a) {$a}`, "function expressions"},
		"FunctionReference":    {`fn:upper-case#1`, "references to functions"},
		"DynamicCall":          {`$f(1)`, "calls of items"},
		"Lookup":               {`$m?a`, "lookups"},
		"GroupBy":              {`for $a in $d group by $a return $a`, "a group clause"},
		"Count":                {`for $a in $d count $n return $n`, "a count clause"},
		"Window":               {`for tumbling window $w in $d start when true() return $w`, "tumbling"},
		"SecondFor":            {`for $a in $d where $a for $b in $a return $b`, "a for clause"},
		"AllowingEmpty":        {`for $a allowing empty in $d return $a`, `"in" expected`},
		"TypedVariable":        {`for $a as xs:string in $d return $a`, "declared type"},
		"InstanceOf":           {`$a instance of xs:string`, "instance"},
		"TreatAs":              {`$a treat as xs:string`, "treat"},
		"W3CInsert":            {`copy $n := $d modify insert nodes <a/> into $n return $n`, "insert nodes"},
		"W3CDelete":            {`copy $n := $d modify delete node $n/a return $n`, "delete node"},
		"W3CReplace":           {`copy $n := $d modify replace value of node $n/a with 1 return $n`, "replace value of node"},
		"NothingModified":      {`copy $n := $d modify $n/a return $n`, "SQL16081N"},
		"FunctionDeclaration":  {`declare function local:a() {1}; local:a()`, "prolog"},
		"VariableDeclaration":  {`declare variable $a := 1; $a`, "prolog"},
		"SchemaImport":         {`import schema "u"; 1`, "prolog"},
		"ModuleImport":         {`import module namespace m = "u"; 1`, "prolog"},
		"Version3":             {`xquery version "3.1"; 1`, "version 3.1"},
		"Function3":            {`fn:head($a)`, "function {http://www.w3.org/2005/xpath-functions}head"},
		"HigherOrder":          {`fn:for-each($a, $b)`, "for-each"},
		"ParseXML":             {`parse-xml("<a/>")`, "parse-xml"},
		"Serialize":            {`fn:serialize($a)`, "serialize"},
		"JoinWithoutSeparator": {`fn:string-join($a)`, "string-join does not take 1"},
		"RoundWithPlaces":      {`fn:round($a, 2)`, "round does not take 2"},
		"Doc":                  {`fn:doc("file:///etc/passwd")`, "doc is not"},
		"Math":                 {`math:pi()`, "prefix math"},
		"UnknownPrefix":        {`$d/c:a`, "prefix c"},
		"UnknownType":          {`$a cast as xs:dateTimeStamp`, "dateTimeStamp"},
		"TypeWithoutPrefix":    {`$a cast as decimal`, "the type"},
		"BracedName":           {`$d/Q{u}a`, "Q{"},
		"StringTemplate":       {"``[a]``", "string templates"},
		"Pragma":               {`(# x:y #) {1}`, "prefix"},
		"Ordered":              {`ordered {1}`, "ordered expressions"},
		"Unfinished":           {`$d/Customer/((`, "an expression expected"},
		"Rest":                 {`$d )`, "cannot stand there"},
		"WrongEnd":             {`<a></b>`, "</b> ends <a>"},
		"OpenBrace":            {`<a>}</a>`, "}}"},
	} {
		t.Run(name, func(t *testing.T) {
			err := xquery.Check(c.query)
			require.Error(t, err)
			if name == "Pragma" {
				require.ErrorContains(t, err, "pragmas")
				return
			}
			require.ErrorContains(t, err, c.problem)
		})
	}
}

func TestQuery_Standard(t *testing.T) {
	for given, want := range map[string]string{
		`$d/a`: `$d/a`,
		`copy $n := $d modify do delete $n/a return $n`:                                                             `copy $n := $d modify delete nodes $n/a return $n`,
		`transform copy $n := $d modify do  rename $n/a as "do delete" return $n`:                                   ` copy $n := $d modify rename node $n/a as "do delete" return $n`,
		`copy $n := $d modify (do replace value of $n/a with 1, do replace $n/b with <do>do insert</do>) return $n`: `copy $n := $d modify (replace value of node $n/a with 1, replace node $n/b with <do>do insert</do>) return $n`,
		`copy $n := $d modify do insert $n/do as first into $n/insert return $n`:                                    `copy $n := $d modify insert nodes $n/do as first into $n/insert return $n`,
	} {
		q, err := xquery.Parse(given)
		require.NoError(t, err)
		require.Equal(t, want, q.Standard())
	}
}

func TestParse_Line(t *testing.T) {
	var refused *xquery.Refused
	require.ErrorAs(t, xquery.Check("$d/a[\n$x\n=> b()]"), &refused)
	require.Equal(t, 3, refused.Line)
}
