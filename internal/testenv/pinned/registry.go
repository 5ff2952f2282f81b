package pinned

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"brokerage/internal/format"
)

// The default addresses of the registries.
const (
	mavenCentral = "https://repo1.maven.org/maven2"
	pypiFiles    = "https://files.pythonhosted.org/packages"
)

// Maven returns a file of Maven Central, by its path there. MAVEN_REPO names another repository, as does a mirror of
// central in ~/.m2/settings.xml.
func Maven(file, sha256 string) File {
	return File{Name: path.Base(file), SHA256: sha256, locate: func(context.Context) (string, error) {
		return strings.TrimSuffix(cmp.Or(os.Getenv("MAVEN_REPO"), mavenMirror()), "/") + "/" + file, nil
	}}
}

// mavenMirror returns the mirror that Maven would use for central, or central.
func mavenMirror() string {
	home, _ := os.UserHomeDir()
	text, _ := os.ReadFile(filepath.Join(home, ".m2", "settings.xml"))
	var settings struct {
		Mirrors []struct {
			Of  string `xml:"mirrorOf"`
			URL string `xml:"url"`
		} `xml:"mirrors>mirror"`
	}
	if xml.Unmarshal(text, &settings) != nil { // or there is no such file
		return mavenCentral
	}
	for _, mirror := range settings.Mirrors {
		for of := range strings.SplitSeq(mirror.Of, ",") {
			if of = strings.TrimSpace(of); of == "central" || of == "*" || of == "external:*" {
				return strings.TrimSpace(mirror.URL)
			}
		}
	}
	return mavenCentral
}

// PyPI returns a file of a project of the Python Package Index, by its path there. Where pip is set to use another
// index, by PIP_INDEX_URL or its own configuration, that index is asked for the address of the file.
func PyPI(project, file, sha256 string) File {
	name := path.Base(file)
	return File{Name: name, SHA256: sha256, locate: func(ctx context.Context) (string, error) {
		index := os.Getenv("PIP_INDEX_URL")
		if index == "" { // without pip, or without such a setting, the output is empty
			configured, _ := exec.CommandContext(ctx, "pip", "config", "get", "global.index-url").Output()
			index = strings.TrimSpace(string(configured))
		}
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
	return "", fmt.Errorf("%s does not have it", format.URL(page))
}
