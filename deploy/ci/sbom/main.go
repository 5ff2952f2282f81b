// Command sbom prints what a Go program was built from, by its own build information, as CycloneDX 1.6.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
)

type bom struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"purl,omitempty"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: sbom PROGRAM VERSION")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(bom{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{component{
			Type: "application", Name: path.Base(info.Path), Version: args[1],
			Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
		}},
		Components: components(info),
	})
}

// components returns the standard library and the modules. A module that a folder of this project replaces is not in
// the program (docs/adr/0032-absent-modules.md).
func components(info *buildinfo.BuildInfo) []component {
	all := []component{library("std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		if module.Replace != nil {
			if module = module.Replace; module.Version == "" {
				continue
			}
		}
		all = append(all, library(module.Path, module.Version))
	}
	return all
}

func library(name, version string) component {
	escaped := strings.ReplaceAll(version, "+", "%2B") // of a package URL
	return component{Type: "library", Name: name, Version: version, URL: "pkg:golang/" + name + "@" + escaped}
}
