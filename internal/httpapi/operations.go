package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
)

// operation is an operation of the contract.
type operation struct {
	name   string // its operationId
	method string
	path   string // as gin has it
	scope  access.Scope
	open   bool // to everybody, at any time
	handle func(*request) error
}

// endless tells that an answer goes on until somebody ends it: it has no
// deadline, and takes no place from requests.
func (o *operation) endless() bool { return o.name == "watch_service" }

// operations are those of the contract, in its order.
func (s *Server) operations() []operation {
	const (
		get, post, put, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
		read, trade, admin  = access.Read, access.Trade, access.Admin
	)
	all := []operation{
		{"insert_order", post, "/v1/orders", trade, false, s.insertOrder},
		{"get_order", get, "/v1/orders/:order", read, false, s.getOrder},
		{"delete_order", del, "/v1/orders/:order", trade, false, s.deleteOrder},
		{"update_order_status", put, "/v1/orders/:order/status", trade, false, s.updateOrderStatus},

		{"insert_customer", post, "/v1/customers", trade, false, s.insertCustomer},
		{"get_customer", get, "/v1/customers/:customer", read, false, s.getCustomer},
		{"replace_customer", put, "/v1/customers/:customer", admin, false, s.replaceCustomer},
		{"delete_customer", del, "/v1/customers/:customer", trade, false, s.deleteCustomer},
		{"customer_profile", get, "/v1/customers/:customer/profile", read, false, s.customerProfile},
		{"account_summary", get, "/v1/customers/:customer/statement", read, false, s.accountSummary},
		{"customer_max_order", get, "/v1/customers/:customer/orders/largest", read, false, s.customerMaxOrder},
		{"open_account", post, "/v1/customers/:customer/accounts", trade, false, s.openAccount},
		{"close_account", del, "/v1/customers/:customer/accounts/:account", trade, false, s.closeAccount},

		{"get_account", get, "/v1/accounts/:account", read, false, s.getAccount},
		{"buy_security", post, "/v1/accounts/:account/buy", trade, false, s.trade(brokerage.Buy)},
		{"sell_security", post, "/v1/accounts/:account/sell", trade, false, s.trade(brokerage.Sell)},

		{"search_securities", get, "/v1/securities", read, false, s.searchSecurities},
		{"get_security", get, "/v1/securities/:symbol", read, false, s.getSecurity},
		{"replace_security", put, "/v1/securities/:symbol", admin, false, s.replaceSecurity},
		{"get_security_price", get, "/v1/securities/:symbol/price", read, false, s.securityPrice},
		{"update_security_price", put, "/v1/securities/:symbol/price", trade, false, s.updateSecurityPrice},

		{"get_dataset", get, "/v1/dataset", read, false, s.getDataset},
		{"lease_ids", post, "/v1/dataset/leases", trade, false, s.leaseIDs},

		{"watch_service", get, "/v1/live", read, false, s.watchService},

		{"get_health", get, "/healthz", "", true, s.getHealth},
		{"get_readiness", get, "/readyz", "", true, s.getReadiness},
		{"get_version", get, "/version", "", true, s.getVersion},
		{"get_metrics", get, "/metrics", "", true, s.getMetrics},
		{"get_contract", get, "/openapi.yaml", "", true, s.getContract},
		{"get_docs", get, "/docs", "", true, s.getDocs},
		{"get_page", get, "/", "", true, s.getPage},
	}
	if s.metrics == nil {
		all = slices.DeleteFunc(all, func(op operation) bool { return op.name == "get_metrics" })
	}
	return all
}

// unrouted is what a request is that leads to no operation.
var unrouted = &operation{name: "unrouted", open: true}

// assets are the files of the pages, which the contract does not list.
func (s *Server) assets() []operation {
	return []operation{
		{"get_docs", http.MethodGet, "/docs/*asset", "", true, s.getDocs},
		{"get_page", http.MethodGet, "/page/*asset", "", true, s.getPage},
	}
}

// methods are all there are, in the order in which Allow lists them: gin goes by
// the order in which it met them.
var methods = [...]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions}

// route lays out the router. What GET reads HEAD asks about. Every path answers
// OPTIONS, and any other method with 405.
func (s *Server) route() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash = false
	e.UseRawPath, e.UnescapePathValues = true, false // a symbol may be any characters; pathValue unescapes

	allowed := make(map[string][]string) // by path
	operations := append(s.operations(), s.assets()...)
	for _, method := range methods {
		for _, op := range operations {
			if op.method == method || op.method == http.MethodGet && method == http.MethodHead {
				e.Handle(method, op.path, s.serve(&op))
				allowed[op.path] = append(allowed[op.path], method)
			}
		}
	}
	for path, methods := range allowed {
		allow := strings.Join(append(methods, http.MethodOptions), ", ")
		op := *unrouted
		op.handle = func(q *request) error {
			q.Header("Allow", allow)
			q.Status(http.StatusNoContent)
			q.Writer.WriteHeaderNow()
			return nil
		}
		e.OPTIONS(path, s.serve(&op))
	}
	notFound, notAllowed := *unrouted, *unrouted
	notFound.handle = func(*request) error { return errPath }
	notAllowed.handle = func(*request) error { return errMethod }
	e.NoRoute(s.serve(&notFound))
	e.NoMethod(s.serve(&notAllowed)) // gin has set Allow
	return e
}
