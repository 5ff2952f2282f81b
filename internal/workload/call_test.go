package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
)

func TestProblemOutcome(t *testing.T) {
	problem := func(name string) []byte {
		return []byte(`<problem xmlns="urn:ietf:rfc:7807"><type>urn:brokerage:problem:` + name + `</type></problem>`)
	}
	unexpected := func(reason string) result.Outcome { return result.Outcome{Class: result.Unexpected, Reason: reason} }
	for name, c := range map[string]struct {
		of     *Transaction
		status int
		body   []byte
		want   result.Outcome
	}{
		"OrderExists": {insertOrder, 409, problem("order-exists"), unexpected("order-exists")},
		"Stale":       {updCustacc, 412, problem("stale"), result.Outcome{Class: result.Expected, Reason: "stale"}},
		"Proxy":       {getOrder, 502, []byte("<html>Bad Gateway</html>"), unexpected("502")},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, c.of.problem(c.status, c.body)) })
	}
}

// An answer with the right status and the wrong content is detected.
func TestChecker(t *testing.T) {
	k := Checker{Keys: true}
	c := &Call{Transaction: getOrder, ID: 103_282}
	const order = `<Order xmlns="http://www.fixprotocol.org/FIXML-4-4" ID="103282" Acct="1">`
	require.Equal(t, result.Done, k.Check(c, []byte(order)))
	require.Equal(t, result.Done, k.Check(c, []byte(`<?xml version="1.0"?>`+"\n"+`<f:Order xmlns:f="x" ID="103282"/>`)))
	for _, body := range []string{
		"", "Order", "<", `<Orders ID="103282">`, `<Order ID="103283">`, `<Order ID="1032820">`, `<html>"103282"</html>`,
	} {
		require.Equal(t, WrongAnswer, k.Check(c, []byte(body)), body)
	}
	k.Keys = false // what answers the same to everything
	require.Equal(t, result.Done, k.Check(c, []byte(`<Order ID="7">`)))
	require.Equal(t, WrongAnswer, k.Check(c, []byte(`<html>`)))
}
