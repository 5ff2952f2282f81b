package chart

import (
	"encoding/xml"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTicks(t *testing.T) {
	for most, want := range map[float64][]float64{
		0: {0, .2, .4, .6, .8, 1}, 9200: {0, 2000, 4000, 6000, 8000, 10_000}, 101: {0, 50, 100, 150},
		math.Inf(1): {0, .2, .4, .6, .8, 1}, math.NaN(): {0, .2, .4, .6, .8, 1}, 5e-324: {0, .2, .4, .6, .8, 1},
	} {
		require.InDeltaSlice(t, want, ticks(0, most, 5), 1e-9, "%v", most)
	}
	a := axis{max: 300, to: 300}
	require.Equal(t, []float64{25, 75, 125, 200, 300}, thin([]float64{25, 50, 75, 100, 125, 150, 200, 300}, a, 50))
	require.Equal(t, []float64{300}, thin([]float64{290, 300}, a, 50), "the last is kept")
}

// Every chart is well-formed. Its lines, circles, squares and texts have their positions inside of it; the width of a
// text is a guess, and not checked.
func TestChart_Drawn(t *testing.T) {
	two := []Point{{X: 10, Y: 100}, {X: 20, Y: 150}}
	var many []Point
	for i := range 200 {
		many = append(many, Point{X: float64(i), Y: 1000})
	}
	for name, c := range map[string]Chart{
		"Two": {Series: []Series{{Name: "a", Points: two}, {Name: "b", Slot: 1, Points: two}}, XTicks: []float64{10, 20}},
		"LongNames": {Series: []Series{{Name: strings.Repeat("long ", 20), Points: two},
			{Name: strings.Repeat("name ", 20), Slot: 5, Points: two}}},
		"Many":      {Series: []Series{{Name: "a", Points: many}}},
		"Zero":      {Series: []Series{{Name: "a", Points: []Point{{}, {X: 1}}}}},
		"Escaped":   {Title: `"<`, X: "<x>", Y: "&", Series: []Series{{Name: "<a>", Points: two}}},
		"Scattered": {Scattered: true, Series: []Series{{Points: many}}},
	} {
		drawn := string(c.HTML())
		require.NotRegexp(t, `NaN|Inf|style=`, drawn)
		require.NoError(t, xml.Unmarshal([]byte(drawn), new(struct{})), name)
		wide, narrow, found := strings.Cut(drawn, "</svg>")
		require.True(t, found)
		for drawn, size := range map[string][2]float64{wide: {720, 280}, narrow: {340, 240}} {
			for _, m := range regexp.MustCompile(` c?([xy])[12]?="([-.\d]+)"`).FindAllStringSubmatch(drawn, -1) {
				v, err := strconv.ParseFloat(m[2], 64)
				require.NoError(t, err)
				require.True(t, v >= -1 && v <= size[m[1][0]-'x']+1, "%s: %s", name, m[0])
			}
		}
	}
	require.Empty(t, Chart{Series: []Series{{Name: "a"}}}.HTML(), "no points")
}

// A chart of changes shows small differences, and draws a value far from all others at the end of its axis.
func TestChart_Scattered(t *testing.T) {
	c := Chart{Band: 2, Scattered: true, Series: []Series{{}},
		Reach: []Point{{X: 1, Y: -3, Low: -5, High: -1}, {X: 2, Y: -3, Low: -4, High: -2}}}
	for i := range 9 {
		c.Series[0].Points = append(c.Series[0].Points, Point{X: float64(i) / 4, Y: -3 + .1*float64(i)})
	}
	c.Series[0].Points = append(c.Series[0].Points, Point{X: 2.25, Y: 400})
	wide, _, _ := strings.Cut(string(c.HTML()), "</svg>")
	require.NotContains(t, wide, ">400<")
	require.Contains(t, wide, `<polygon class="band"`)
	require.Contains(t, wide, `<polygon class="area"`)
	require.Contains(t, wide, `>−4<`)
	require.Contains(t, wide, `cy="26"`, "the last is at the upper end")
	require.Equal(t, 10, strings.Count(wide, "<circle "))
}
