package pages_test

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"brokerage/api"
)

// parsed parses the contract with another parser.
func parsed(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	require.NoError(t, err)
	return doc
}

// section returns the text of the page on an operation or a problem, unescaped.
func section(t testing.TB, page, id string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, ` id="`+id+`"`)
	require.True(t, found, "%s is not on the page", id)
	end := regexp.MustCompile(`<details class="(operation|problem)|</main>`)
	return html.UnescapeString(end.Split(rest, 2)[0])
}

// shown returns an example as the page must show it: complete.
func shown(t testing.TB, value any) string {
	t.Helper()
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.MarshalIndent(value, "", "  ")
	require.NoError(t, err)
	return string(text)
}

func TestPage_Operations(t *testing.T) {
	page, doc := text(t, "/docs"), parsed(t)
	var count, examples int
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			count++
			t.Run(op.OperationID, func(t *testing.T) {
				about := section(t, page, op.OperationID)
				require.Contains(t, about, `<span class="method `+method+`">`)
				require.Contains(t, about, `<code class="path">`+path+`</code>`)
				require.Contains(t, about, `data-path="`+path+`"`)
				require.Contains(t, about, `<span class="summary">`+op.Summary+`</span>`)
				if scope, ok := op.Extensions["x-scope"].(string); ok {
					require.Contains(t, about, `<span class="badge scope">`+scope+`</span>`)
				} else {
					require.Contains(t, about, `<span class="badge scope">open</span>`)
				}
				for _, p := range append(item.Parameters, op.Parameters...) {
					field := regexp.MustCompile(`<(input|select) id="` + op.OperationID + `\.` + p.Value.Name + `" data-in="` +
						p.Value.In + `"[^>]*>`).FindString(about)
					require.Equal(t, p.Value.Name != "Accept-Encoding", field != "", p.Value.Name)
					switch {
					case p.Value.In != "path":
					case p.Value.Schema.Value.Enum != nil:
						require.Contains(t, about, `<option selected>`+p.Value.Example.(string)+`</option>`)
					default:
						require.Contains(t, field, `value="`+p.Value.Example.(string)+`"`)
					}
				}
				if op.RequestBody != nil {
					for _, e := range op.RequestBody.Value.Content["application/xml"].Examples {
						examples++
						require.Contains(t, about, ">\n"+shown(t, e.Value.Value)+"</textarea>")
					}
				}
				for status, response := range op.Responses.Map() {
					require.Regexp(t, `<span class="status( refused)?">`+status+`</span>`, about)
					for _, media := range response.Value.Content {
						for _, e := range media.Examples {
							if status < "400" {
								examples++
								require.Contains(t, about, `<pre class="document" tabindex="0">`+shown(t, e.Value.Value)+"</pre>")
							}
						}
					}
				}
			})
		}
	}
	require.Equal(t, count, strings.Count(page, `<details class="operation `),
		"the page has these operations and no others")
	require.Greater(t, examples, 25)
}

func TestPage_Problems(t *testing.T) {
	page, doc := text(t, "/docs"), parsed(t)
	problems, ok := doc.Extensions["x-problems"].([]any)
	require.True(t, ok)
	for _, p := range problems {
		problem, ok := p.(map[string]any)
		require.True(t, ok)
		name, ok := problem["type"].(string)
		require.True(t, ok)
		require.Contains(t, section(t, page, "problem-"+name), problem["title"])
	}
	var examples int
	for _, response := range doc.Components.Responses {
		for _, media := range response.Value.Content {
			for name, e := range media.Examples {
				examples++
				require.Contains(t, section(t, page, "problem-"+name), shown(t, e.Value.Value))
			}
		}
	}
	_, list, _ := strings.Cut(page, `<section id="problems">`)
	require.Equal(t, examples, strings.Count(list, `<pre class="document"`), "each has its place, once")
}

func TestPage_LinksLead(t *testing.T) {
	page := text(t, "/docs")
	ids := make(map[string]bool)
	for _, id := range regexp.MustCompile(`\sid="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		require.False(t, ids[id[1]], "two things are called %s", id[1])
		ids[id[1]] = true
	}
	for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		require.True(t, ids[link[1]], "#%s leads nowhere", link[1])
	}
}
