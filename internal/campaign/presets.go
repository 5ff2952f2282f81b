package campaign

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"brokerage/internal/dataset"
	"brokerage/internal/output"
)

//go:embed presets
var presets embed.FS

// PresetNames are the names of the presets that the program has.
var PresetNames = []string{"full", "smoke", "paper-2006", "paper-2007", "paper-2008", "paper-2009"}

// ReadPreset returns the settings of a preset, one of PresetNames or a file of the same form. The numbers of
// documents are multiplied by dataScale, and WarmUp and Duration by timeScale.
func ReadPreset(name string, dataScale, timeScale float64) (s Settings, err error) {
	var text []byte
	switch {
	case slices.Contains(PresetNames, name):
		text, err = presets.ReadFile("presets/" + name + ".yaml")
	case !strings.ContainsAny(name, "./"):
		err = fmt.Errorf("there is no preset %q: use %s, or the path of a file", name, strings.Join(PresetNames, ", "))
	default:
		text, err = output.ReadInput(name, 1<<20)
	}
	if err != nil {
		return s, err
	}
	if text, err = yaml.YAMLToJSON(text); err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n") // the others show the place in the file
		return s, fmt.Errorf("%s is not YAML: %s", name, line)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	s.Preset = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	s.DataScale, s.TimeScale = dataScale, timeScale
	spec, err := dataset.ParseSpec(s.Scale, s.Profile, s.Seed)
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	scaled := func(n int64) int64 { return int64(math.Round(float64(n) * dataScale)) }
	if d := dataset.New(spec); dataScale != 1 {
		spec.Scale, err = dataset.ScaleOf(scaled(d.Count(dataset.Customer)), scaled(d.Count(dataset.Order)))
		if err != nil {
			return s, fmt.Errorf("--data-scale %v: %w", dataScale, err)
		}
		s.Scale = spec.Scale.String()
	}
	for i := range s.Inserts {
		s.Inserts[i].Documents = scaled(s.Inserts[i].Documents)
	}
	for _, d := range []*Duration{&s.WarmUp, &s.Duration} {
		d.Duration = time.Duration(float64(d.Duration) * timeScale)
	}
	return s, nil
}
