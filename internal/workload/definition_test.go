package workload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// The weights of the mixed workload are those of the registry.
func TestLoad_MixedIsTheRegistrys(t *testing.T) {
	d := definition(t, "mixed")
	require.True(t, d.Validate)
	var mix []result.Part
	for _, tx := range tpox.Transactions {
		if tx.Weight > 0 {
			mix = append(mix, result.Part{Transaction: tx.Name, Weight: float64(tx.Weight)})
		}
	}
	require.Equal(t, mix, d.Mix)
}

func TestLoad_ClassicIsNotValidated(t *testing.T) {
	d := definition(t, "classic")
	require.False(t, d.Validate)
	require.Len(t, d.Mix, 13)
	total := 0.0
	for _, p := range d.Mix {
		total += p.Weight
	}
	require.InDelta(t, 100, total, 1e-9)
}

func TestLoad_Missing(t *testing.T) {
	_, err := Load("mixt")
	require.EqualError(t, err, `there is no workload "mixt": `+
		"it is one of classic, insert-customers, insert-orders, mixed, query, or the path of a file")
	_, err = Load(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestDefinition_SetWeights(t *testing.T) {
	d := definition(t, "mixed")
	require.NoError(t, d.SetWeights("get_order=30, buy_security=5"))
	parts, err := d.parts()
	require.NoError(t, err)
	require.Len(t, parts, 2, "the others do not run")
	require.Equal(t, "get_order", parts[0].Name)
	require.InDelta(t, 30.0/35, parts[0].Share, 1e-12)
	for text, says := range map[string]string{
		"get_oder=1":              `there is no transaction "get_oder": it is one of get_order, `,
		"get_order":               `"get_order" is not a transaction and its weight`,
		"get_order=":              `"get_order=" is not a transaction and its weight`,
		"get_order=x":             `"get_order=x" is not a transaction and its weight`,
		"get_order=-1":            "the weight of get_order is -1",
		"get_order=NaN":           "the weight of get_order is NaN",
		"get_order=0":             "no weight is above 0",
		"get_order=1,":            `"" is not a transaction and its weight`,
		"get_order=1,get_order=":  `"get_order=" is not`,
		"get_order=1,get_order=2": "get_order is listed twice",
		"delete_order=1":          "delete_order without insert_order",
	} {
		err := definition(t, "mixed").SetWeights(text)
		require.ErrorContains(t, err, says, text)
		require.NotContains(t, err.Error(), "\n")
	}
}

// Each is refused by the program, with one line, and by the schema, unless a schema cannot express it.
func TestParse_Refusals(t *testing.T) {
	mix := func(parts string) string { return `{"name": "w", "mix": [` + parts + `]}` }
	weigh := func(transaction, weight string) string {
		return `{"transaction": "` + transaction + `", "weight": ` + weight + `}`
	}
	getOrder := weigh("get_order", "1")
	with := func(field string) string { return `{"name": "w", ` + field + `, "mix": [` + getOrder + `]}` }
	s := workloadSchema(t)
	for name, c := range map[string]struct {
		file, says  string
		programOnly bool
	}{
		"Empty":              {"", "too early", false},
		"NotJSON":            {"{\n\"name\" 1}", "line 2: not JSON", false},
		"Cut":                {`{"name": "w", "mix": [`, "too early", false},
		"Two":                {mix(getOrder) + "{}", "text after the workload", false},
		"NoName":             {`{"mix": [` + getOrder + `]}`, `the name ""`, false},
		"Name":               {`{"name": "W 1", "mix": [` + getOrder + `]}`, `the name "W 1"`, false},
		"NoMix":              {`{"name": "w"}`, "no weight is above 0", false},
		"EmptyMix":           {mix(""), "no weight is above 0", false},
		"UnknownField":       {with(`"weighs": 1`), `unknown field "weighs"`, false},
		"UnknownInside":      {with(`"trades": {"hold": {}}`), `unknown field "hold"`, false},
		"UnknownTransaction": {mix(weigh("get_oder", "1")), `no transaction "get_oder"`, true},
		"WeightIsText":       {mix("\n" + weigh("get_order", `"ten"`)), "line 2: mix.weight must not be a string", false},
		"WeightIsMissing":    {mix(`{"transaction": "get_order"}`), `"get_order" has no weight`, false},
		"WeightIsNull":       {mix(weigh("get_order", "null")), `"get_order" has no weight`, false},
		"WeightIsNegative":   {mix(weigh("get_order", "-1")), "the weight of get_order is -1", false},
		"WeightIsHuge":       {mix(weigh("get_order", "1e400")), "weight", true},
		"AllZero":            {mix(weigh("get_order", "0")), "no weight is above 0", true},
		"Twice":              {mix(getOrder + "," + weigh("get_order", "2")), "get_order is listed twice", true},
		"OnlyDeletes":        {mix(weigh("delete_order", "1")), "delete_order without insert_order", true},
		"OnlyCloses":         {mix(weigh("close_account", "1")), "close_account without open_account", true},
		"Distribution": {
			with(`"draws": {"order": {"distribution": "gauss"}}`), `draws.order: there is no distribution "gauss"`, false,
		},
		"ZipfWithoutS": {
			with(`"draws": {"customer": {"distribution": "zipf"}}`), "draws.customer: the exponent s is 0", false,
		},
		"ZipfEleven": {with(`"draws": {"customer": {"distribution": "zipf", "s": 11}}`), "the exponent s is 11", false},
		"HotSetWithoutShare": {
			with(`"draws": {"order": {"distribution": "hot-set", "hot": 0.1}}`), "hot-set needs two numbers", false,
		},
		"NewDocuments":   {with(`"newDocuments": "all"`), `newDocuments: "all" is neither own nor shared`, false},
		"UniformWithS":   {with(`"draws": {"security": {"distribution": "uniform", "s": 2}}`), "s is for zipf", false},
		"RangeOfOne":     {with(`"updates": {"price": [20]}`), "[20] is not a range", false},
		"RangeOfThree":   {with(`"updates": {"price": [20, 21, 22]}`), "not a range", false},
		"RangeOfText":    {with(`"updates": {"price": "20-23"}`), "not a range", false},
		"RangeBackwards": {with(`"updates": {"price": [6, 4]}`), "updates.price: [6, 4]", true},
		"RangeNegative":  {with(`"trades": {"buy": {"quantity": [-1, 4]}}`), "trades.buy.quantity: [-1, 4]", false},
		"QuantityZero":   {with(`"trades": {"sell": {"quantity": [0, 10]}}`), "trades.sell.quantity: [0, 10]", true},
		"Held":           {with(`"trades": {"buy": {"held": 1.5}}`), "trades.buy.held: 1.5", false},
		"Prepare":        {with(`"prepare": {"orders": -1}`), "prepare", false},
		"PrepareHalf":    {with(`"prepare": {"orders": 1.5}`), "prepare.orders must not be a number 1.5", false},
		"ValidateText":   {with(`"validate": "no"`), "validate must not be a string", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("own.json", []byte(c.file))
			require.ErrorContains(t, err, c.says)
			require.True(t, strings.HasPrefix(err.Error(), "workload own.json: "), err.Error())
			require.NotContains(t, err.Error(), "\n")
			if doc, err := jsonschema.UnmarshalJSON(strings.NewReader(c.file)); err == nil && !c.programOnly {
				require.Error(t, s.Validate(doc))
			}
		})
	}
}
