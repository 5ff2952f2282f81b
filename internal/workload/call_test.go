package workload

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/result"
)

// An answer is good if its status, its root element and its key are those of the request.
func TestCall_Judge(t *testing.T) {
	const (
		order   = `<Order xmlns="http://www.fixprotocol.org/FIXML-4-4" ID="103282" Acct="1">`
		problem = `<problem xmlns="urn:ietf:rfc:7807"><type>urn:brokerage:problem:`
	)
	unexpected := func(reason string) result.Outcome { return result.Outcome{Class: result.Unexpected, Reason: reason} }
	for name, c := range map[string]struct {
		of             *Transaction
		status         int
		location, body string
		want           result.Outcome
	}{
		"Order":       {getOrder, http.StatusOK, "", order, result.Done},
		"Prefix":      {getOrder, http.StatusOK, "", "<?xml?>\n<f:Order xmlns:f=\"x\" ID=\"103282\"/>", result.Done},
		"Empty":       {getOrder, http.StatusOK, "", "", WrongAnswer},
		"Text":        {getOrder, http.StatusOK, "", `Order ID="103282" `, WrongAnswer},
		"Cut":         {getOrder, http.StatusOK, "", "<", WrongAnswer},
		"OtherRoot":   {getOrder, http.StatusOK, "", `<Orders ID="103282">`, WrongAnswer},
		"OtherKey":    {getOrder, http.StatusOK, "", `<Order ID="1032820">`, WrongAnswer},
		"OtherStatus": {getOrder, http.StatusNoContent, "", "", WrongAnswer},
		"Inserted":    {InsertOrder, http.StatusCreated, "/v1/orders/103282", "", result.Done},
		"Elsewhere":   {InsertOrder, http.StatusCreated, "/v1/orders/3282", "", WrongAnswer},
		"Deleted":     {deleteOrder, http.StatusNoContent, "", "", result.Done},
		"Exists":      {InsertOrder, http.StatusConflict, "", problem + "order-exists</type>", unexpected("order-exists")},
		"Stale": {updCustacc, http.StatusPreconditionFailed, "", problem + "stale</type>",
			result.Outcome{Class: result.Expected, Reason: "stale"}},
		"NotFound": {getOrder, http.StatusNotFound, "", problem + "not-found</type>", unexpected(result.NotFound)},
		"Proxy":    {getOrder, http.StatusBadGateway, "", "<html>Bad Gateway</html>", unexpected("502")},
	} {
		t.Run(name, func(t *testing.T) {
			call := &Call{Transaction: c.of, ID: 103_282}
			require.Equal(t, c.want, call.Judge(c.status, c.location, []byte(c.body)))
		})
	}
	fixed := &Call{Transaction: getOrder, ID: 103_282, anyKey: true}
	require.Equal(t, result.Done, fixed.Judge(http.StatusOK, "", []byte(`<Order ID="7">`)))
}
