package pinned

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"os"
	"path"
	"regexp"
	"strings"

	"brokerage/internal/format"
)

// The default addresses of the registries.
const (
	mavenCentral = "https://repo1.maven.org/maven2"
	pypiFiles    = "https://files.pythonhosted.org/packages"
)

// Maven returns a file of Maven Central, by its path there. MAVEN_REPO names another repository.
func Maven(file, sha256 string) File {
	return File{Name: path.Base(file), SHA256: sha256, locate: func(context.Context) (string, error) {
		return strings.TrimSuffix(cmp.Or(os.Getenv("MAVEN_REPO"), mavenCentral), "/") + "/" + file, nil
	}}
}

// PyPI returns a file of a project of the Python Package Index, by its path there. PIP_INDEX_URL names another index,
// which is asked for the address of the file.
func PyPI(project, file, sha256 string) File {
	name := path.Base(file)
	return File{Name: name, SHA256: sha256, locate: func(ctx context.Context) (string, error) {
		index := os.Getenv("PIP_INDEX_URL")
		if index == "" {
			return pypiFiles + "/" + file, nil
		}
		return inIndex(ctx, strings.TrimSuffix(index, "/")+"/"+project+"/", name)
	}}
}

var href = regexp.MustCompile(`href\s*=\s*["']([^"']+)["']`)

// inIndex finds a file on a project's page of an index (PEP 503).
func inIndex(ctx context.Context, page, name string) (string, error) {
	response, err := get(ctx, page)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }() // it was read, or is of no use
	body, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil {
		return "", err
	}
	for _, link := range href.FindAllSubmatch(body, -1) {
		target, err := response.Request.URL.Parse(html.UnescapeString(string(link[1])))
		if err == nil && path.Base(target.Path) == name {
			target.Fragment = ""
			return target.String(), nil
		}
	}
	return "", fmt.Errorf("%s does not list the file", format.URL(page))
}
