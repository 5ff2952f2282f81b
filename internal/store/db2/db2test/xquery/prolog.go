package xquery

// Namespaces that need no declaration: "Statically known namespaces".
const (
	nsFunctions = "http://www.w3.org/2005/xpath-functions"
	nsDB2       = "http://www.ibm.com/xmlns/prod/db2/functions"
	nsTypes     = "http://www.w3.org/2001/XMLSchema"
	nsDurations = "http://www.w3.org/2005/xpath-datatypes"
)

func initial() *scope {
	return &scope{function: nsFunctions, prefixes: map[string]string{
		"xml": "http://www.w3.org/XML/1998/namespace", "xs": nsTypes, "xsi": "http://www.w3.org/2001/XMLSchema-instance",
		"fn": nsFunctions, "xdt": nsDurations, "db2-fn": nsDB2,
	}}
}

// Parse parses a query. The error is a *Refused.
func Parse(text string) (q *Query, err error) {
	p := &parser{text: text, scope: initial()}
	defer func() {
		if thrown := recover(); thrown != nil {
			refused, ok := thrown.(*Refused)
			if !ok {
				panic(thrown) // a fault of this parser
			}
			err = refused
		}
	}()
	p.prolog()
	body := p.expr()
	if p.skip(); p.at < len(p.text) {
		p.refuse("%q cannot stand there", p.ahead())
	}
	q = &Query{Body: body, text: text, edits: p.edits}
	return q, p.check(body)
}

// Check returns what is wrong with a query, a *Refused or nil.
func Check(text string) error {
	_, err := Parse(text)
	return err
}

// prolog reads the declarations. "Prolog": a version, setters and namespaces;
// no functions, no variables, no imports.
func (p *parser) prolog() {
	if p.takesWords("xquery", "version") {
		if v := p.stringLiteral(); v != "1.0" {
			p.refuse("XQuery version %s: Db2 has 1.0", v)
		}
		p.want(";")
	}
	for p.words("declare") || p.words("import") || p.words("module") {
		switch {
		case p.takesWords("declare", "default", "element", "namespace"):
			p.scope.element = p.stringLiteral()
		case p.takesWords("declare", "default", "function", "namespace"):
			p.scope.function = p.stringLiteral()
		case p.takesWords("declare", "namespace"):
			p.skip()
			prefix := p.ncName()
			p.want("=")
			p.scope.prefixes[prefix] = p.stringLiteral()
		case p.takesWords("declare", "boundary-space"), p.takesWords("declare", "construction"):
			if !p.takesWords("strip") && !p.takesWords("preserve") {
				p.refuse("strip or preserve expected")
			}
		case p.takesWords("declare", "ordering"):
			if !p.takesWords("ordered") && !p.takesWords("unordered") {
				p.refuse("ordered or unordered expected")
			}
		case p.takesWords("declare", "default", "order", "empty"):
			if !p.takesWords("greatest") && !p.takesWords("least") {
				p.refuse("greatest or least expected")
			}
		case p.takesWords("declare", "copy-namespaces"):
			p.wantWord("preserve")
			p.want(",")
			p.wantWord("inherit")
		default:
			p.refuse("the declaration %q: Db2's prolog has none such", p.ahead())
		}
		p.want(";")
	}
}
