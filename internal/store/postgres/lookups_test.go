package postgres

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
)

// Lookups that share a round trip each get their own answer, and their own error.
func TestLookups_Together(t *testing.T) {
	s, d, _, _ := tiny(t)
	query := func(sql string, args ...any) *lookup { return &lookup{sql: sql, args: args, done: make(chan struct{})} }
	members := []*lookup{
		query(statements["get_security"], d.Symbol(0)),
		query(statements["get_security"], "NONE"),
		query("SELECT (1 / ($1::int))::text", 0),
		query(statements["get_security"], d.Symbol(1)),
	}
	s.lookups.run(members)
	for _, q := range members {
		<-q.done
	}
	require.NoError(t, members[0].err)
	require.Equal(t, string(d.Append(nil, dataset.Security, 0)), string(members[0].doc))
	require.ErrorIs(t, members[1].err, pgx.ErrNoRows)
	require.ErrorContains(t, members[2].err, "division by zero")
	require.NoError(t, members[3].err)
	require.Equal(t, string(d.Append(nil, dataset.Security, 1)), string(members[3].doc))
}

// Some of many concurrent lookups are cancelled, and every answer belongs to its query.
func TestLookups_GiveUp(t *testing.T) {
	s, d, _, _ := tiny(t)
	var all sync.WaitGroup
	for n := range 32 {
		all.Go(func() {
			for i := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if (n+i)%5 == 0 {
					go cancel()
				}
				k := (n*200 + i) % int(d.Count(dataset.Security))
				doc, err := s.GetSecurity(ctx, d.Symbol(k))
				cancel()
				switch {
				case err == nil:
					if !bytes.Equal(doc, d.Append(nil, dataset.Security, int64(k))) {
						t.Errorf("the answer is of another question")
					}
				case !errors.Is(err, context.Canceled):
					t.Errorf("get_security: %v", err)
				}
			}
		})
	}
	all.Wait()
}

func TestClose(t *testing.T) {
	s, d, _, _ := tiny(t)
	calls := storetest.Calls(t, s, d)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	for _, call := range calls {
		require.True(t, brokerage.Is[*brokerage.Unavailable](call.Do(t.Context())), call.Name)
	}
}

// An element without a namespace stays without one in an answer that has one.
func TestAnswers_NoNamespace(t *testing.T) {
	s, d, _, _ := tiny(t)
	const plain = "<plain>x</plain>"
	insertOrder(t, s, fmt.Appendf(nil, `<f:FIXML xmlns:f="http://www.fixprotocol.org/FIXML-4-4">`+
		`<f:Order ID="1" Acct="%d"><f:OrdQty Cash="9999999999999"/>`+plain+`</f:Order></f:FIXML>`, d.FirstAccount(0)))
	insertCustomer(t, s, []byte(
		`<c:Customer xmlns:c="http://tpox-benchmark.com/custacc" id="2"><c:Name>`+plain+`</c:Name>
		<c:Addresses><c:Address>`+plain+`</c:Address></c:Addresses><c:Accounts><c:Account id="3">`+
			`<c:gValueDate><c:mValueDate>`+plain+`</c:mValueDate></c:gValueDate></c:Account></c:Accounts></c:Customer>`), false)
	requirePlain := func(count int) func([]byte, error) {
		return func(doc []byte, err error) {
			t.Helper()
			require.NoError(t, err)
			var found []string // the namespaces of the plain elements
			for decoder := xml.NewDecoder(bytes.NewReader(doc)); ; {
				token, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				if start, is := token.(xml.StartElement); is && start.Name.Local == "plain" {
					found = append(found, start.Name.Space)
				}
			}
			require.Equal(t, make([]string, count), found, "%s", doc)
		}
	}
	requirePlain(1)(s.GetOrder(t.Context(), 1))
	requirePlain(1)(s.CustomerMaxOrder(t.Context(), brokerage.ID(d.ID(dataset.Customer, 0))))
	requirePlain(2)(s.CustomerProfile(t.Context(), 2))
	requirePlain(2)(s.AccountSummary(t.Context(), 2))
}

// A position in a document that was not validated is returned with the parts that it has.
func TestAccountSummary_NoSymbol(t *testing.T) {
	s, _, _, _ := tiny(t)
	insertCustomer(t, s, []byte(`<Customer xmlns="http://tpox-benchmark.com/custacc" id="2"><Name/><Accounts>`+
		`<Account id="3"><Holdings><Position><Quantity>5</Quantity></Position><Position/></Holdings></Account>`+
		`</Accounts></Customer>`), false)
	answer, err := s.AccountSummary(t.Context(), 2)
	require.NoError(t, err)
	require.Contains(t, string(answer),
		"<c:Securities><c:Position><c:Quantity>5</c:Quantity></c:Position><c:Position/></c:Securities>")
}
