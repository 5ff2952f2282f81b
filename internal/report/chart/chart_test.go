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

func text(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func TestTicks(t *testing.T) {
	for most, want := range map[float64][]float64{
		0: {0, .2, .4, .6, .8, 1}, 1: {0, .2, .4, .6, .8, 1}, 9200: {0, 2000, 4000, 6000, 8000, 10_000},
		100: {0, 20, 40, 60, 80, 100},
		101: {0, 50, 100, 150}, math.Inf(1): {0, .2, .4, .6, .8, 1}, math.NaN(): {0, .2, .4, .6, .8, 1},
	} {
		require.InDeltaSlice(t, want, ticks(0, most, 5), 1e-9, "%v", most)
	}
	for most := 1e-9; most < 1e12; most *= 1.7 {
		all := ticks(0, most, 5)
		require.GreaterOrEqual(t, all[len(all)-1], most*(1-1e-9))
		require.LessOrEqual(t, len(all), 7)
		require.GreaterOrEqual(t, len(all), 3)
	}
}

func TestThin(t *testing.T) {
	a := axis{max: 300, to: 300}
	require.Equal(t, []float64{25, 75, 125, 200, 300}, thin([]float64{25, 50, 75, 100, 125, 150, 200, 300}, a, 50))
	require.Equal(t, []float64{300}, thin([]float64{290, 300}, a, 50), "the last is kept")
	require.Nil(t, thin(nil, a, 50))
}

// charts returns charts of different series, among them those that have broken charts.
func charts() map[string]Lines {
	two := []Point{{X: 10, Y: 100, Low: 90, High: 110}, {X: 20, Y: 150, Low: 150, High: 150}}
	var many []Point
	for i := range 200 {
		many = append(many, Point{X: float64(i), Y: 1000})
	}
	return map[string]Lines{
		"Two": {Series: []Series{{Name: "a", Points: two}, {Name: "b", Slot: 1, Points: two}},
			XTicks: []float64{10, 20}},
		"LongNames": {Series: []Series{{Name: strings.Repeat("long ", 20), Points: two},
			{Name: strings.Repeat("name ", 20), Slot: 5, Points: two}}},
		"Many":     {Series: []Series{{Name: "a", Points: many}}},
		"Zero":     {Series: []Series{{Name: "a", Points: []Point{{}, {X: 1}}}}},
		"NoPoints": {Series: []Series{{Name: "a"}}},
		"Nothing":  {},
		"Escaped":  {Title: `"<`, X: "<x>", Y: "&", Series: []Series{{Name: "<a>", Points: two}}},
	}
}

// Every chart is well-formed, and every shape lies inside of it. The width of a text is a guess, so only its position
// has to.
func TestLines_Drawn(t *testing.T) {
	for name, l := range charts() {
		l.FormatX, l.FormatY = text, text
		require.Equal(t, len(sizes), strings.Count(string(l.HTML()), "<svg "))
		for _, s := range sizes {
			drawn := string(l.draw(s.class, s.width, s.height))
			require.NotRegexp(t, `NaN|Inf|style=`, drawn)
			require.NoError(t, xml.Unmarshal([]byte(drawn), new(struct{})), name)
			most := map[string]float64{"x": s.width, "x1": s.width, "x2": s.width, "cx": s.width, "y": s.height,
				"y1": s.height, "y2": s.height, "cy": s.height}
			for _, m := range regexp.MustCompile(` (\w+)="([-.\d]+)"`).FindAllStringSubmatch(drawn, -1) {
				if limit := most[m[1]]; limit > 0 {
					v, err := strconv.ParseFloat(m[2], 64)
					require.NoError(t, err)
					require.True(t, v >= -1 && v <= limit+1, "%s: %s", name, m[0])
				}
			}
		}
	}
}

// A chart of changes shows small differences, and draws a value far from all others at its end.
func TestSpread_Draw(t *testing.T) {
	s := Spread{Band: [2]float64{-2, 2},
		Lines: Lines{Title: "change", X: "minutes", Y: "%", FormatX: text, FormatY: text,
			Series: []Series{{}}},
		Reach: []Point{{X: 1, Y: -3, Low: -5, High: -1}, {X: 2, Y: -3, Low: -4, High: -2}}}
	for i := range 9 {
		s.Series[0].Points = append(s.Series[0].Points, Point{X: float64(i) / 4, Y: -3 + .1*float64(i)})
	}
	s.Series[0].Points = append(s.Series[0].Points, Point{X: 2.25, Y: 400})
	drawn := string(s.draw("chart wide", 720, 280))
	require.NoError(t, xml.Unmarshal([]byte(drawn), new(struct{})))
	require.NotRegexp(t, `NaN|Inf|style=|>400<`, drawn)
	require.Contains(t, drawn, `<polygon class="band"`)
	require.Contains(t, drawn, `<polygon class="area"`)
	require.Contains(t, drawn, `>-4<`)
	require.Contains(t, drawn, `cy="26"`, "the last is at the upper end")
	require.Equal(t, 10, strings.Count(drawn, "<circle "))
	empty := Spread{Lines: Lines{FormatX: text, FormatY: text}}
	require.NotRegexp(t, `NaN|Inf`, string(empty.HTML()))
}

func TestLines_Places(t *testing.T) {
	l := charts()["Two"]
	l.FormatX, l.FormatY = text, text
	drawn := string(l.draw("chart wide", 720, 280))
	require.Equal(t, 3, strings.Count(drawn, "<circle "), "the first series has circles, one in the legend")
	require.Equal(t, 3, strings.Count(drawn, `<rect class="mark s2"`), "the second squares")
	require.Contains(t, drawn, `<text class="tick x"`)
	require.Contains(t, drawn, ">b</text>", "a series is named")
}
