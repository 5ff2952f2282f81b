package docs

import (
	"html/template"
	"regexp"
	"strings"
)

// prose converts a description to HTML. Of Markdown it knows paragraphs, `code` and **bold**.
func (c *contract) prose(text string) template.HTML {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		b.WriteString("<p>" + string(c.inline(paragraph)) + "</p>\n")
	}
	return template.HTML(b.String()) //nolint:gosec // inline has escaped it
}

var bold = regexp.MustCompile(`\*\*([^*]+)\*\*`)

// inline converts a paragraph to HTML. The name of a problem becomes a link to its explanation.
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
