package dataset_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

// Compression is one of the things that the benchmark measures, so generated orders must hold as much information as
// the kit's. They are compared with the kit's sample after its values are randomised independently of the generator:
// the ratio is within a tenth, alone and with a dictionary.
func TestAppend_OrderEntropy(t *testing.T) {
	t.Parallel()
	slow(t)
	sample := kitOrder(t)
	r := rand.New(rand.NewPCG(1, 2))
	want := measure(t, 2000, func(int64) []byte { return randomised(r, sample) })
	t.Logf("sample randomised: %.3f alone, %.3f with a dictionary", want.alone, want.trained)

	for _, profile := range profiles {
		d := dataset.New(dataset.Spec{Scale: scale(t, "S"), Profile: profile, Seed: 1})
		got := measure(t, 2000, func(i int64) []byte { return d.Append(nil, dataset.Order, i*1009) })
		t.Logf("%s: %.3f alone, %.3f with a dictionary", profile, got.alone, got.trained)
		require.InEpsilon(t, want.alone, got.alone, 0.10, "%s alone", profile)
		require.InEpsilon(t, want.trained, got.trained, 0.10, "%s with a dictionary", profile)
	}
}

// Descriptions that are cut to the length of a description in the kit have, on average, a compression ratio within a
// sixth of that description's.
func TestAppend_ProseEntropy(t *testing.T) {
	t.Parallel()
	slow(t)
	encoder := newEncoder(t)
	ratio := func(text []byte) float64 { return float64(len(encoder.EncodeAll(text, nil))) / float64(len(text)) }

	kit := map[int]float64{1872: 0.487, 2654: 0.475} // bytes of the kit's descriptions and how they compress
	if dir := os.Getenv("TPOX_KIT"); dir != "" {
		clear(kit)
		for _, name := range []string{"security5621.xml", "security1500.xml"} {
			description := text([]byte(oneLine(testenv.Text(t, filepath.Join(dir, name)))), "Description")
			kit[len(description)] = ratio(description)
		}
	}
	d := open(t, "XXXS", dataset.TPoX2)
	for size, want := range kit {
		sum, n := 0.0, 0
		each(d, dataset.Security, 0, 500, func(_ int64, doc []byte) {
			if description := text(doc, "Description"); len(description) >= size {
				sum += ratio(description[:size])
				n++
			}
		})
		t.Logf("first %d bytes: %.3f, the kit's %.3f", size, sum/float64(n), want)
		require.InEpsilon(t, want, sum/float64(n), 0.17)
	}
}

// ratios are compressed sizes divided by the original sizes.
type ratios struct{ alone, trained float64 }

// measure trains a dictionary on n documents and compresses 400 others.
func measure(tb testing.TB, n int64, doc func(i int64) []byte) ratios {
	tb.Helper()
	var training [][]byte
	for i := range n {
		training = append(training, doc(i))
	}
	dictionary, err := dict.BuildZstdDict(training, dict.Options{
		MaxDictSize: 32 << 10, HashBytes: 6, ZstdDictID: 1, ZstdLevel: zstd.SpeedDefault,
	})
	require.NoError(tb, err)
	plain, primed := newEncoder(tb), newEncoder(tb, zstd.WithEncoderDict(dictionary))

	var size, alone, with int
	for i := range int64(400) {
		d := doc(n + i)
		size += len(d)
		alone += len(plain.EncodeAll(d, nil))
		with += len(primed.EncodeAll(d, nil))
	}
	return ratios{float64(alone) / float64(size), float64(with) / float64(size)}
}

func newEncoder(tb testing.TB, options ...zstd.EOption) *zstd.Encoder {
	tb.Helper()
	encoder, err := zstd.NewWriter(nil, append(options, zstd.WithEncoderConcurrency(1))...)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, encoder.Close()) })
	return encoder
}

// kitOrder returns the kit's sample order on one line, or a substitute if the kit is not available.
func kitOrder(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join("testdata", "order.xml")
	if kit := os.Getenv("TPOX_KIT"); kit != "" {
		path = filepath.Join(kit, "order123.xml")
	}
	text, err := os.ReadFile(path)
	require.NoError(tb, err)
	return oneLine(string(text))
}

var (
	outside = regexp.MustCompile(`<\?[^>]*\?>|<!--[\s\S]*?-->`)
	between = regexp.MustCompile(`>\s+<`)
	inTags  = regexp.MustCompile(`\s+([\w:]+=")`)
)

// oneLine converts a document to the stored form, as far as the samples need it.
func oneLine(doc string) string {
	doc = outside.ReplaceAllString(doc, "")
	doc = between.ReplaceAllString(doc, "><")
	return strings.TrimSpace(inTags.ReplaceAllString(doc, " $1"))
}

// fixCodes holds the values of FIX 4.4 for the attributes that the sample fills with codes.
var fixCodes = map[string]string{
	"AcctIDSrc": "1 2 3 4 5 99", "AcctTyp": "1 2 3 4 6 7 8", "ClrFeeInd": "B C E F H I L M 1 2 3 4 5 9",
	"TmInForce": "0 1 2 3 4 5 6 7", "Rstctions": "1 2 3 4 5 6 7 8 9 A", "Covered": "0 1", "TgtStrategy": "1 2 3",
	"CxllationRights": "Y N M O", "MnyLaunderingStat": "Y N 1 2 3", "Side": "1 2 3 4 5 6 7 8 9 A B C D E F G",
	"LocReqd": "Y N", "QtyTyp": "0 1", "Typ": "1 2 3 4 6 7 8 9 D E G I J K L M P", "SolFlag": "Y N", "PosRsnd": "Y N",
	"Prod": "1 2 3 4 5 6 7 8 9 10 11 12 13", "SecTyp": "CS PS CORP CB MF NONE OPT FUT REPO WAR TBOND GO CD MTN FOR",
	"CPPgm": "1 2 99", "Src": "1 2 3 4 5 6 7 8 9 A B C D E F G H I J", "RndDir": "0 1 2",
}

var (
	attribute  = regexp.MustCompile(` ([\w:]+)="([^"]*)"`)
	isDate     = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	isDateTime = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`)
	isNumber   = regexp.MustCompile(`^\d+(\.\d+)?$`)
)

// randomised replaces the values of an order, except namespaces and versions, by random ones of the same class.
func randomised(r *rand.Rand, order string) []byte {
	return []byte(attribute.ReplaceAllStringFunc(order, func(found string) string {
		m := attribute.FindStringSubmatch(found)
		name, value := m[1], m[2]
		at := time.Date(2003, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.Int64N(int64(3 * 365 * 24 * time.Hour))))
		switch codes := strings.Fields(fixCodes[name]); {
		case strings.Contains(name, "xmlns"), strings.Contains(name, ":"), name == "v", name == "r", name == "s":
			return found
		case len(codes) > 0:
			value = codes[r.IntN(len(codes))]
		case name == "Sym":
			value = strings.Repeat("A", 1+r.IntN(5))
			value = redraw(r, value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		case isDate.MatchString(value):
			value = at.Format(time.DateOnly)
		case isDateTime.MatchString(value):
			value = at.Format("2006-01-02T15:04:05")
		case isNumber.MatchString(value):
			whole, fraction, found := strings.Cut(value, ".")
			value = strconv.Itoa(1+r.IntN(9)) + redraw(r, whole[1:], "0123456789")
			if found {
				value += "." + redraw(r, fraction, "0123456789")
			}
		default:
			n := max(1, len(value)/2) + r.IntN(len(value)+1)
			value = redraw(r, strings.Repeat("x", n), printable)
		}
		return " " + name + `="` + value + `"`
	}))
}

// printable is US-ASCII from the blank to the tilde without what XML escapes.
var printable = func() string {
	var b strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		if !strings.ContainsRune(`&<>"'`, rune(c)) {
			b.WriteByte(c)
		}
	}
	return b.String()
}()

func redraw(r *rand.Rand, s, alphabet string) string {
	b := []byte(s)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}
