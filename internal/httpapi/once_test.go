package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// keyed returns two valid bodies for each operation that takes an idempotency key.
func keyed(t testing.TB) map[string][2]string {
	t.Helper()
	customer := func(id int64) string {
		return string(generator.AppendNewCustomer(nil, id, dataset.NewCustomer{ID: id, Accounts: []int64{900_000_000 + id}}))
	}
	account := func(id int64) string {
		return string(generator.AppendNewAccount(nil, id, dataset.NewAccount{ID: id, Time: clock}))
	}
	return map[string][2]string{
		"insert_order":    {orderWith(777), orderWith(778)},
		"insert_customer": {customer(777), customer(778)},
		"open_account":    {account(777), account(778)},
		"buy_security":    {tradeOf("SDP", "1"), tradeOf("SDP", "2")},
		"sell_security":   {tradeOf("SDP", "1"), tradeOf("SDP", "2")},
	}
}

func TestOnce_Replay(t *testing.T) {
	for _, op := range transactions() {
		operation, bodies := op.name, keyed(t)[op.name]
		takesKey := func(p *openapi3.ParameterRef) bool { return p.Value.Name == "Idempotency-Key" }
		if !slices.ContainsFunc(routeOf(t, operation).Operation.Parameters, takesKey) {
			require.Empty(t, bodies[0], "%s takes no key by the contract", operation)
			continue
		}
		t.Run(operation, func(t *testing.T) {
			s := fresh(t, Options{})
			path := target(t, operation)
			post := func(path, body, key string) answer {
				t.Helper()
				a := ask(s, "POST", path, body, "Idempotency-Key: "+key)
				requireConforms(t, operation, a)
				return a
			}
			first := post(path, bodies[0], "k")
			require.Less(t, first.StatusCode, 300, first.body)
			state := ask(s, "GET", "/v1/customers/1006", "").body
			again := post(path, bodies[0], "k")
			require.Equal(t, first.StatusCode, again.StatusCode, again.body)
			require.Equal(t, first.body, again.body)
			require.Equal(t, first.Header.Get("Location"), again.Header.Get("Location"))
			require.Equal(t, state, ask(s, "GET", "/v1/customers/1006", "").body)

			requireProblem(t, post(path, bodies[1], "k"), 422, "key-reused")
			requireProblem(t, post(path+"?validate=no", bodies[0], "k"), 422, "key-reused")
			require.Equal(t, state, ask(s, "GET", "/v1/customers/1006", "").body)
			require.Equal(t, first.StatusCode, post(path, bodies[1], "l").StatusCode)

			// Without the key, a trade is done again, and an insert is refused because its id exists.
			once := map[bool]int{true: 200, false: 409}
			require.Equal(t, once[strings.HasSuffix(operation, "_security")], ask(s, "POST", path, bodies[0]).StatusCode)
		})
	}
}

// While a request runs, its key is taken; afterwards it is free, even if the request failed.
func TestOnce_InUse(t *testing.T) {
	for _, operation := range []string{"insert_order", "buy_security"} {
		bodies := keyed(t)[operation]
		t.Run(operation, func(t *testing.T) {
			entered, leave := make(chan struct{}), make(chan error)
			store := &stub{do: func(context.Context) error {
				entered <- struct{}{}
				return <-leave
			}}
			s := serverOf(t, store, Options{})
			post := func(key string) answer {
				return ask(s, "POST", target(t, operation), bodies[0], "Idempotency-Key: "+key)
			}
			for range 2 {
				ended := make(chan answer)
				go func() { ended <- post("k") }()
				<-entered
				a := post("k")
				requireProblem(t, a, 409, "key-in-use")
				require.Equal(t, "1", a.Header.Get("Retry-After"))
				requireConforms(t, operation, a)

				other := make(chan answer)
				go func() { other <- post("l") }()
				<-entered
				leave <- &tpox.Unavailable{Cause: context.Canceled}
				leave <- &tpox.Unavailable{Cause: context.Canceled}
				require.Equal(t, http.StatusServiceUnavailable, (<-ended).StatusCode)
				require.Equal(t, http.StatusServiceUnavailable, (<-other).StatusCode)
			}
			s.keysInUse.Range(func(key, _ any) bool {
				require.Fail(t, "the key is still in use", "%v", key)
				return true
			})
		})
	}
}
