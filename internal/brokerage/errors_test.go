package brokerage_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	finding := brokerage.Finding{Path: "/A", Message: "is wrong"}
	for want, err := range map[string]error{
		"there is no order 7":       &brokerage.NotFound{What: "order", Key: "7"},
		"order 7 exists already":    &brokerage.Conflict{Reason: brokerage.OrderExists, Detail: "order 7 exists already"},
		"/A: is wrong":              &brokerage.Invalid{Findings: []brokerage.Finding{finding}},
		"/A: is wrong (and 2 more)": &brokerage.Invalid{Findings: []brokerage.Finding{finding, finding, finding}},
		"line 3, column 4: /A: wrong": &brokerage.Invalid{Findings: []brokerage.Finding{{Line: 3, Column: 4, Path: "/A",
			Message: "wrong"}}},
		"line 3, column 4: wrong": &brokerage.Invalid{Findings: []brokerage.Finding{{Line: 3, Column: 4,
			Message: "wrong"}}},
		"the document is not the version that the request is for": &brokerage.Stale{},
		`idempotency key "a\"b" was used for another request`:     &brokerage.KeyReused{Key: `a"b`},
		"the store is unavailable: EOF":                           &brokerage.Unavailable{Cause: io.EOF},
		"/Customer/@id: is not 1002, which the path names":        brokerage.WrongKey("/Customer/@id", "1002"),
		"/Security/Symbol: is not %d, which the path names":       brokerage.WrongKey("/Security/Symbol", "%d"),
		"the database does not take it":                           brokerage.NotStorable("the database does not take it"),
	} {
		require.EqualError(t, err, want)
		require.True(t, brokerage.IsOwn(err))
		require.False(t, brokerage.IsOwn(fmt.Errorf("the driver: %w", err)))
	}
	require.ErrorIs(t, &brokerage.Unavailable{Cause: io.EOF}, io.EOF)
}

func TestValidate(t *testing.T) {
	t.Parallel()
	doc := customerXML(account{id: "1"}.xml())
	require.NoError(t, brokerage.ValidateCustomer([]byte(doc)))
	list := findings(t, brokerage.ValidateCustomer([]byte(strings.NewReplacer(">Female<", ">Cat<", ">1970-01-01<",
		">soon<").Replace(doc))))
	require.Len(t, list, 2, "every finding")
	for i, path := range []string{"DateOfBirth", "Gender"} {
		require.Contains(t, list[i], path)
		require.Contains(t, list[i], "line 1, column ")
	}
	for _, validate := range []func([]byte) error{brokerage.ValidateSecurity, brokerage.ValidateOrder} {
		require.NotEmpty(t, findings(t, validate([]byte(doc))), "another document")
	}
	for _, validate := range []func([]byte) error{brokerage.ValidateCustomer, brokerage.ValidateSecurity,
		brokerage.ValidateOrder} {
		require.NotEmpty(t, findings(t, validate(nil)))
		require.NotEmpty(t, findings(t, validate([]byte("<a>"))))
	}
}

func TestMatch_Holds(t *testing.T) {
	t.Parallel()
	doc := []byte("<a></a>")
	tag := brokerage.ETag(doc)
	require.Regexp(t, `^[0-9a-f]{32}$`, tag)
	require.Equal(t, tag, brokerage.ETag([]byte("<a></a>")), "of the bytes alone")
	require.NotEqual(t, tag, brokerage.ETag([]byte("<a> </a>")))
	require.Equal(t, "e3b0c44298fc1c149afbf4c8996fb924", brokerage.ETag(nil), "for ever the same")

	require.True(t, brokerage.Match(nil).Holds(doc), "no condition")
	require.False(t, brokerage.Match{}.Holds(doc))
	require.False(t, brokerage.Match{"", tag[:31], `"` + tag + `"`}.Holds(doc))
	require.True(t, brokerage.Match{"x", tag}.Holds(doc))
}

// The transactions agree with the table of the scenario: 17, 70 % of them reads.
func TestTransactions(t *testing.T) {
	t.Parallel()
	weights, names, validated := map[string]int{}, map[string]bool{}, []string{}
	for _, x := range brokerage.Transactions {
		weights[x.Kind.String()] += x.Weight
		weights[x.Code[:1]] += x.Weight
		require.False(t, names[x.Name], x.Name)
		names[x.Name] = true
		if x.Validated {
			validated = append(validated, x.Code)
		}
	}
	require.Len(t, brokerage.Transactions, 17)
	require.Equal(t, map[string]int{"query": 70, "update": 14, "insert": 8, "delete": 8, "Q": 70, "U": 14, "I": 8, "D": 8},
		weights)
	require.Equal(t, []string{"U2", "U4", "I2"}, validated)
}
