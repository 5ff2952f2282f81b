package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

// An operation handles one method and path of the contract. Each transaction is in the file of its name.
type operation struct {
	name    string // its operationId
	method  string
	path    string       // as gin writes it
	scope   access.Scope // that a client's token needs
	open    bool         // to everybody, without a token or a limit
	links   []string     // the header Link of its answers; nil for none. It is shared and must not be changed
	endless bool         // client or server ends the answer: it has no deadline, and does not count as running
	handle  func(*request) error
}

// writes reports whether the operation may change the store.
func (op *operation) writes() bool { return op.method != http.MethodGet && op.method != "" }

// describedBy returns the header Link of answers that a schema file describes (RFC 8288).
func describedBy(file string) []string { return []string{"</schema/" + file + `>; rel="describedby"`} }

// byTransaction holds the operations of the transactions by name. The file of each transaction adds its operation.
var byTransaction = make(map[string]*operation)

func transaction(op *operation) *operation {
	byTransaction[op.name] = op
	return op
}

// transactions returns the operations of the 17 transactions, in the order of tpox.Transactions.
func transactions() (all []*operation) {
	for _, t := range tpox.Transactions {
		op := byTransaction[t.Name]
		if op == nil {
			panic("brokerage: no operation is " + t.Name)
		}
		all = append(all, op)
	}
	return all
}

// otherOperations are the operations that are not transactions.
var otherOperations = [...]*operation{
	getCustomer, replaceCustomer, getAccount, replaceSecurity,
	getDataset, leaseIDs, watchService,
	getHealth, getReadiness, getVersion, getMetrics, getContract, getSchema, getDocs, getPage,
}

// assets serve a redirect and the files of the pages, which the contract does not list.
var assets = [...]*operation{
	public(getDocs.name, "/docs/", getDocs.handle),
	public(getPage.name, "/page/*asset", getPage.handle),
}

// operations returns the operations of the contract that the server has.
func (s *Server) operations() []*operation {
	all := append(transactions(), otherOperations[:]...)
	if s.metrics == nil {
		all = slices.DeleteFunc(all, func(op *operation) bool { return op == getMetrics })
	}
	return all
}

const unrouted = "unrouted"

// unroutedOperation returns an operation for requests that match no operation of the contract.
func unroutedOperation(handle func(*request) error) *operation {
	return &operation{name: unrouted, open: true, handle: handle}
}

// methods are those that a path may have, in the order in which Allow lists them.
var methods = [...]string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions,
}

// route returns the router. Each path that answers GET also answers HEAD. Each path answers OPTIONS, and answers
// methods that it does not have with 405.
func (s *Server) route() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash = false
	e.UseRawPath, e.UnescapePathValues = true, false // a symbol may contain any character; pathValue unescapes

	allowed := make(map[string][]string) // by path
	operations := append(s.operations(), assets[:]...)
	for _, method := range methods { // the outer loop, because gin lists methods in Allow in this order
		for _, op := range operations {
			if op.method == method || op.method == http.MethodGet && method == http.MethodHead {
				e.Handle(method, op.path, s.serve(op))
				allowed[op.path] = append(allowed[op.path], method)
			}
		}
	}
	for path, methods := range allowed {
		allow := strings.Join(append(methods, http.MethodOptions), ", ")
		e.OPTIONS(path, s.serve(unroutedOperation(func(q *request) error {
			q.Header("Allow", allow)
			q.Status(http.StatusNoContent)
			q.Writer.WriteHeaderNow()
			return nil
		})))
	}
	e.NoRoute(s.serve(unroutedOperation(func(*request) error { return errPath })))
	e.NoMethod(s.serve(unroutedOperation(func(*request) error { return errMethod }))) // gin has set Allow
	return e
}
