package tpox_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	finding := tpox.Finding{Path: "/A", Message: "is wrong"}
	for want, err := range map[string]error{
		"there is no order 7":       &tpox.NotFound{What: "order", Key: "7"},
		"order 7 exists already":    &tpox.Conflict{Reason: tpox.OrderExists, Detail: "order 7 exists already"},
		"/A: is wrong":              &tpox.Invalid{Findings: []tpox.Finding{finding}},
		"/A: is wrong (and 2 more)": &tpox.Invalid{Findings: []tpox.Finding{finding, finding, finding}},
		"line 3, column 4: /A: wrong": &tpox.Invalid{Findings: []tpox.Finding{{Line: 3, Column: 4, Path: "/A",
			Message: "wrong"}}},
		"line 3, column 4: wrong": &tpox.Invalid{Findings: []tpox.Finding{{Line: 3, Column: 4,
			Message: "wrong"}}},
		"the document has another version than the request requires": &tpox.Stale{},
		`idempotency key "a\"b" was used for another request`:        &tpox.KeyReused{Key: `a"b`},
		"the store is unavailable: EOF":                              &tpox.Unavailable{Cause: io.EOF},
		"the database does not take it":                              tpox.NotStorable("the database does not take it"),
	} {
		require.EqualError(t, err, want)
		require.True(t, tpox.IsDomainError(err))
		require.False(t, tpox.IsDomainError(fmt.Errorf("the driver: %w", err)))
	}
	require.ErrorIs(t, &tpox.Unavailable{Cause: io.EOF}, io.EOF)
}

// A document that replaces another must have the key that the path of the request names.
func TestReplace_WrongKey(t *testing.T) {
	t.Parallel()
	_, err := tpox.CustomerToReplace(7, []byte(customerXML(account{id: "1"}.xml())), true)
	require.EqualError(t, err, "/Customer/@id: must be 7, as in the path")
	_, err = tpox.SecurityToReplace("%d", []byte(securityXML("IBM", "1")), true)
	require.EqualError(t, err, "/Security/Symbol: must be %d, as in the path")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	doc := customerXML(account{id: "1"}.xml())
	require.NoError(t, tpox.ValidateCustomer([]byte(doc)))
	list := findings(t, tpox.ValidateCustomer([]byte(strings.NewReplacer(">Female<", ">Cat<", ">1970-01-01<",
		">soon<").Replace(doc))))
	require.Len(t, list, 2, "every finding")
	for i, path := range []string{"DateOfBirth", "Gender"} {
		require.Contains(t, list[i], path)
		require.Contains(t, list[i], "line 1, column ")
	}
	for _, validate := range []func([]byte) error{tpox.ValidateSecurity, tpox.ValidateOrder} {
		require.NotEmpty(t, findings(t, validate([]byte(doc))), "another document")
	}
	for _, validate := range []func([]byte) error{tpox.ValidateCustomer, tpox.ValidateSecurity,
		tpox.ValidateOrder} {
		require.NotEmpty(t, findings(t, validate(nil)))
		require.NotEmpty(t, findings(t, validate([]byte("<a>"))))
	}
}

func TestMatch_Holds(t *testing.T) {
	t.Parallel()
	doc := []byte("<a></a>")
	tag := tpox.ETag(doc)
	require.Regexp(t, `^[0-9a-f]{32}$`, tag)
	require.Equal(t, tag, tpox.ETag([]byte("<a></a>")), "of the bytes alone")
	require.NotEqual(t, tag, tpox.ETag([]byte("<a> </a>")))
	require.Equal(t, "e3b0c44298fc1c149afbf4c8996fb924", tpox.ETag(nil), "for ever the same")

	require.True(t, tpox.Match(nil).Holds(doc), "no condition")
	require.False(t, tpox.Match{}.Holds(doc))
	require.False(t, tpox.Match{"", tag[:31], `"` + tag + `"`}.Holds(doc))
	require.True(t, tpox.Match{"x", tag}.Holds(doc))
}

// The transactions agree with the table of the scenario: there are 17, and 70 % of the mix are reads.
func TestTransactions(t *testing.T) {
	t.Parallel()
	weights, names, validated := map[string]int{}, map[string]bool{}, []string{}
	for _, x := range tpox.Transactions {
		weights[x.Kind.String()] += x.Weight
		weights[x.Code[:1]] += x.Weight
		require.False(t, names[x.Name], x.Name)
		names[x.Name] = true
		if x.Validated {
			validated = append(validated, x.Code)
		}
	}
	require.Len(t, tpox.Transactions, 17)
	require.Equal(t, map[string]int{"query": 70, "update": 14, "insert": 8, "delete": 8, "Q": 70, "U": 14, "I": 8, "D": 8},
		weights)
	require.Equal(t, []string{"U2", "U4", "I2"}, validated)
}
