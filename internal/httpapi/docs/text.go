package docs

import (
	"html/template"
	"regexp"
	"strings"
)

// prose turns what descriptions are written in, which is Markdown's paragraphs, `code` and **bold** and no more of it,
// into HTML.
func (c *contract) prose(text string) template.HTML {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		b.WriteString("<p>" + string(c.inline(paragraph)) + "</p>\n")
	}
	return template.HTML(b.String()) //nolint:gosec // inline has escaped it
}

var bold = regexp.MustCompile(`\*\*([^*]+)\*\*`)

// inline is one paragraph of prose. A type of problem links to where it is explained.
func (c *contract) inline(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		escaped := template.HTMLEscapeString(part)
		switch {
		case i%2 == 0:
			b.WriteString(bold.ReplaceAllString(escaped, "<strong>$1</strong>"))
		case c.isProblem(part):
			b.WriteString(`<a href="#problem-` + escaped + `"><code>` + escaped + `</code></a>`)
		default:
			b.WriteString("<code>" + escaped + "</code>")
		}
	}
	return template.HTML(b.String()) //nolint:gosec // every part of it is escaped
}

func (c *contract) isProblem(name string) bool {
	for _, p := range c.Problems {
		if p.Type == name {
			return true
		}
	}
	return false
}
