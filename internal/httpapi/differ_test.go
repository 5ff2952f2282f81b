package httpapi

import (
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/sqlite"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

// The differential test: the same requests, valid and not, to the service over two stores. Status, headers, problems
// and canonical answers must be the same, and so must everything that can be read of what a write was for; except that
// answers constructed of stored documents that are not valid may differ, and never fail. Requests
// depend on a seed and on the answers alone. A difference is reported with the requests that lead to it, as few and as
// small as could be found, and as a file to repeat them:
//
//	BROKERAGE_DIFFER=50000        how many requests (1,000; CI sends 2,000)
//	BROKERAGE_DIFFER_SEED=7       which ones (1); random is another seed each time
//	BROKERAGE_DIFFER_REPLAY=FILE  those of a file, instead

// twins are two servers with the same data in their stores.
type twins struct {
	one, two *Server
	d        *dataset.Dataset
	// lenient is for a database that writes decimals in its own way, and finds other faults first: of a refusal only
	// status and type count.
	lenient bool
	// oneOrder leaves out messages with several orders, for a database whose index has the ids of all of them.
	oneOrder bool
}

func (w twins) stripsSpace() bool {
	return (*w.one.store.Load()).Describe().StripsSpace || (*w.two.store.Load()).Describe().StripsSpace
}

var orderTag = regexp.MustCompile(`<([A-Za-z]+:)?Order[\s/>]`)

// next returns the next request that both stores must answer in the same way.
func (w twins) next(a *asker) asked {
	for {
		q := a.next()
		severalOrders := w.oneOrder && len(orderTag.FindAll(q.Body, 2)) > 1
		if !severalOrders && (!w.stripsSpace() || !hasBlankText(q.Body)) {
			return q
		}
	}
}

// hasBlankText reports whether a document has a text of white space alone. A store that strips such texts of what it
// validates, now or in a later update, has another version of the document than one that keeps them, with another tag
// and other answers to conditions. The texts of a security's description are kept in every store.
func hasBlankText(doc []byte) bool {
	normal, err := xmldoc.Admit(doc, xmldoc.Limits{})
	return err == nil && parseNode(string(normal)).hasBlankText()
}

func (n *node) hasBlankText() bool {
	return n.name[strings.IndexByte(n.name, ':')+1:] != "Description" && slices.ContainsFunc(n.content, func(c any) bool {
		switch c := c.(type) {
		case *node:
			return c.hasBlankText()
		case string:
			return strings.Trim(strings.ReplaceAll(c, "&#13;", ""), " \t\n") == ""
		default:
			return false
		}
	})
}

// differ sends requests to twins until some differences are found.
func differ(t *testing.T, open func(testing.TB) twins) {
	t.Helper()
	if name := os.Getenv("BROKERAGE_DIFFER_REPLAY"); name != "" {
		var sequence []asked
		require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, name)), &sequence))
		require.Empty(t, repeated(t, open, sequence))
		return
	}
	requests := 1000
	if testing.Short() {
		requests = 200
	}
	requests = int(setting(t, "BROKERAGE_DIFFER", uint64(requests)))
	seed := uint64(os.Getpid())<<32 | uint64(os.Getppid()) //nolint:gosec // any number will do
	if os.Getenv("BROKERAGE_DIFFER_SEED") != "random" {
		seed = setting(t, "BROKERAGE_DIFFER_SEED", 1)
	}
	const most = 10
	for found := 0; requests > 0 && found < most; seed++ {
		sequence, difference := compared(t, open, seed, min(requests, perPair))
		requests -= perPair
		if difference != "" {
			found++
			sequence, difference = shrunk(t, open, sequence, difference)
			t.Errorf("seed %d: %s\n%s", seed, difference, report(t, sequence))
		}
	}
}

// setting returns the number in a variable of the environment, or otherwise if it is not set.
func setting(t testing.TB, name string, otherwise uint64) uint64 {
	t.Helper()
	if os.Getenv(name) == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(os.Getenv(name), 10, 64)
	require.NoError(t, err)
	return n
}

// compared sends requests made from a seed, and returns those up to the first with different responses.
func compared(t *testing.T, open func(testing.TB) twins, seed uint64, count int) (sequence []asked, difference string) {
	t.Run(fmt.Sprintf("Seed%d", seed), func(t *testing.T) {
		w := open(t)
		a := newAsker(seed, w.d, func(target string) answer { return ask(w.one, "GET", target, "") })
		for range count {
			q := w.next(a)
			sequence = append(sequence, q)
			got, differs := w.send(q)
			if difference = differs; difference != "" {
				return
			}
			a.learn(q, got)
		}
	})
	return sequence, difference
}

// repeated sends requests again, and returns the difference that the last one shows.
func repeated(t *testing.T, open func(testing.TB) twins, sequence []asked) (difference string) {
	t.Run("Again", func(t *testing.T) {
		w := open(t)
		for _, q := range sequence {
			if _, difference = w.send(q); difference != "" {
				return
			}
		}
	})
	return difference
}

// perPair is how many requests go to a pair of stores: few enough to be repeated.
const perPair = 200

// shrinkFor limits the time to reduce a difference.
const shrinkFor = 30 * time.Second

// shrunk looks for fewer and smaller requests that show a difference.
func shrunk(t *testing.T, open func(testing.TB) twins, sequence []asked, difference string) ([]asked, string) {
	end := time.Now().Add(shrinkFor)
	shorter := func(candidate []asked) bool {
		if time.Now().After(end) {
			return false
		}
		found := repeated(t, open, candidate)
		if found != "" {
			sequence, difference = candidate, found
		}
		return found != ""
	}
	if last := sequence[len(sequence)-1:]; !shorter(slices.Clone(last)) {
		for size := len(sequence) / 2; size >= 1; size /= 2 {
			for from := 0; from+size < len(sequence); {
				if !shorter(slices.Delete(slices.Clone(sequence), from, from+size)) {
					from += size
				}
			}
		}
	}
	for changed := true; changed; {
		last := sequence[len(sequence)-1]
		changed = slices.ContainsFunc(smaller(string(last.Body)), func(body string) bool {
			last.Body = []byte(body)
			return shorter(append(slices.Clone(sequence[:len(sequence)-1]), last))
		})
	}
	return sequence, difference
}

// smaller returns documents with one element or attribute less, the smallest first.
func smaller(doc string) (list []string) {
	if parseNode(doc).String() != doc {
		return nil
	}
	for i := range parseNode(doc).all() {
		root := parseNode(doc)
		n := root.all()[i]
		for k := range n.content {
			whole := n.content
			n.content = slices.Delete(slices.Clone(whole), k, k+1)
			list = append(list, root.String())
			n.content = whole
		}
		for k := range n.attrs {
			whole := n.attrs
			n.attrs = slices.Delete(slices.Clone(whole), k, k+1)
			list = append(list, root.String())
			n.attrs = whole
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(a) - len(b) })
	return list
}

// report formats requests for a reader, and writes them to a file from which they can be sent again.
func report(t *testing.T, sequence []asked) string {
	t.Helper()
	b, err := json.Marshal(sequence)
	require.NoError(t, err)
	file, err := os.CreateTemp("", "differ-*.json") //nolint:usetesting // it outlives the test
	require.NoError(t, err)
	_, err = file.Write(b)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	var text strings.Builder
	for _, q := range sequence {
		fmt.Fprintf(&text, "%s %s %q\n%.2000q\n", q.Method, q.Target, q.Headers, q.Body)
	}
	return text.String() + "again: BROKERAGE_DIFFER_REPLAY=" + file.Name()
}

// send sends a request to both, and then compares what it changed.
func (w twins) send(q asked) (got answer, difference string) {
	got, difference = w.both(q)
	if difference != "" || q.Method == http.MethodGet || q.Method == http.MethodHead || got.StatusCode >= 300 {
		return got, difference
	}
	for _, target := range w.touched(q, got) {
		if _, difference = w.both(asked{Operation: q.Operation, Method: "GET", Target: target}); difference != "" {
			return got, "after it, " + target + ": " + difference
		}
	}
	return got, ""
}

func (w twins) both(q asked) (got answer, difference string) {
	var other answer
	var group sync.WaitGroup
	send := func(s *Server) answer {
		r := newRequest(q.Method, q.Target, string(q.Body), append([]string{"X-Request-Id: one-of-two"}, q.Headers...)...)
		return given(s, r)
	}
	group.Go(func() { got = send(w.one) })
	other = send(w.two)
	group.Wait()
	if got.StatusCode >= 500 || other.StatusCode >= 500 {
		return got, fmt.Sprintf("%s fails: %d and %d\n%s\n%s", q.Operation, got.StatusCode, other.StatusCode, got.body,
			other.body)
	}
	one, two := w.outcome(got), w.outcome(other)
	if one == two || w.constructedOfInvalid(q.Target, got, other) {
		return got, ""
	}
	a, b := strings.Split(one, "\n"), strings.Split(two, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return got, fmt.Sprintf("%s is answered in two ways, line %d:\n  %.400s\n  %.400s", q.Operation, i+1, a[i], b[i])
		}
	}
	return got, fmt.Sprintf("%s is answered in two ways: %d lines and %d", q.Operation, len(a), len(b))
}

// constructedOfInvalid reports whether two answers were constructed of a stored document that its schema forbids: they
// may differ between stores.
func (w twins) constructedOfInvalid(target string, answers ...answer) bool {
	for _, a := range answers {
		if a.StatusCode != http.StatusOK && a.StatusCode != http.StatusNotModified {
			return false
		}
	}
	path, _, _ := strings.Cut(target, "?")
	for view, validate := range map[string]func([]byte) error{
		"/profile": tpox.ValidateCustomer, "/statement": tpox.ValidateCustomer, "/price": tpox.ValidateSecurity,
	} {
		if source, constructed := strings.CutSuffix(path, view); constructed {
			return validate([]byte(ask(w.one, "GET", source, "").body)) != nil
		}
	}
	return false
}

// touched returns what a write may have changed, as targets to read.
func (w twins) touched(q asked, got answer) (targets []string) {
	path, _, _ := strings.Cut(q.Target, "?")
	if location := got.Header.Get("Location"); location != "" {
		targets = append(targets, location)
		path = location
	}
	parts := strings.Split(path, "/")
	if len(parts) < 4 {
		return nil
	}
	customers := func(id string) {
		for _, view := range []string{"", "/profile", "/statement", "/orders/largest"} {
			targets = append(targets, "/v1/customers/"+id+view)
		}
	}
	owner := func(account string) {
		targets = append(targets, "/v1/accounts/"+account)
		links := strings.Join(ask(w.one, "GET", "/v1/accounts/"+account, "").Header["Link"], ",")
		if _, rest, found := strings.Cut(links, "</v1/customers/"); found {
			id, _, _ := strings.Cut(rest, ">")
			customers(id)
		}
	}
	switch parts[2] {
	case "orders":
		targets = append(targets, "/v1/orders/"+parts[3])
		for _, n := range parseNode(ask(w.one, "GET", "/v1/orders/"+parts[3], "").body).attrs {
			if n[0] == "Acct" {
				owner(n[1])
			}
		}
	case "customers":
		customers(parts[3])
	case "accounts":
		owner(parts[3])
	case "securities":
		targets = append(targets, "/v1/securities/"+parts[3], "/v1/securities/"+parts[3]+"/price")
		for _, sector := range dataset.Sectors() {
			targets = append(targets,
				"/v1/securities?sector="+strings.ReplaceAll(sector, " ", "+")+"&peMin=0&peMax=9999999999999&yieldMin=0")
		}
	}
	return targets
}

// outcome returns the parts of a response that must be the same, as lines.
func (w twins) outcome(a answer) string {
	var b strings.Builder
	fmt.Fprintln(&b, a.StatusCode)
	for _, name := range []string{"Location", "Content-Type", "Allow", "Retry-After", "Link", "Vary", "Www-Authenticate"} {
		fmt.Fprintln(&b, name, a.Header[name])
	}
	// Whether an answer is packed depends on its size, which may differ, and whether a replaced document has a tag, on
	// whether the store strips white space.
	if a.StatusCode != http.StatusNoContent || !w.stripsSpace() {
		fmt.Fprintln(&b, strings.Replace(a.Header.Get("Etag"), gzipSuffix, "", 1))
	}
	body := a.body
	if a.Header.Get("Content-Encoding") == "gzip" && body != "" {
		if unpacked, err := gzip.NewReader(strings.NewReader(body)); err == nil {
			plain, _ := io.ReadAll(unpacked) // what cannot be unpacked differs
			body = string(plain)
		}
	}
	if _, rest, problem := strings.Cut(body, "<type>"); problem && w.lenient && a.StatusCode >= 400 {
		body, _, _ = strings.Cut(rest, "<")
	}
	b.WriteString(w.canonical(body))
	return b.String()
}

var decimalForm = regexp.MustCompile(`^[ \t\r\n]*[+-]?(\d+(\.\d*)?|\.\d+)[ \t\r\n]*$`)

// text returns a text or value in quotes, or as a number where the notation of decimals may differ.
func (w twins) text(s string) string {
	if w.lenient && decimalForm.MatchString(s) {
		if r, ok := new(big.Rat).SetString(strings.TrimSuffix(strings.TrimSpace(s), ".")); ok {
			return r.RatString()
		}
	}
	return strconv.Quote(s)
}

// canonical returns a document with expanded names, attributes in order of their names and text, a line for each. White
// space between elements is ignored, except in mixed content. A text that is not a document is returned unchanged.
func (w twins) canonical(body string) string {
	lines, err := w.content(xml.NewDecoder(strings.NewReader(body)), false)
	if !errors.Is(err, io.EOF) {
		return strconv.Quote(body)
	}
	return strings.Join(lines, "\n")
}

// content reads up to the end of an element, or to that of the document, which is io.EOF.
func (w twins) content(d *xml.Decoder, mixed bool) (lines []string, err error) {
	var elements []string // the lines without white space between the elements
	said := false
	for {
		token, err := d.Token()
		if _, end := token.(xml.EndElement); end || err != nil {
			if len(elements) > 0 && !said && !mixed {
				lines = elements
			}
			return lines, err
		}
		switch x := token.(type) {
		case xml.StartElement:
			inner, err := w.content(d, mixed || x.Name.Local == "Description")
			if err != nil {
				return nil, err
			}
			for i, line := range inner {
				inner[i] = "  " + line
			}
			whole := slices.Concat([]string{fmt.Sprintf("<{%s}%s", x.Name.Space, x.Name.Local)}, w.attributes(x), inner,
				[]string{">"})
			lines, elements = append(lines, whole...), append(elements, whole...)
		case xml.CharData:
			said = said || strings.TrimSpace(string(x)) != ""
			lines = append(lines, w.text(string(x)))
		}
	}
}

func (w twins) attributes(x xml.StartElement) (lines []string) {
	for _, a := range x.Attr {
		if a.Name.Space != "xmlns" && (a.Name.Space != "" || a.Name.Local != "xmlns") {
			lines = append(lines, fmt.Sprintf("  @{%s}%s=%s", a.Name.Space, a.Name.Local, w.text(a.Value)))
		}
	}
	slices.Sort(lines)
	return lines
}

func TestDiffer_Postgres(t *testing.T) {
	open := postgresTwins(t, "")
	t.Run("Moved", func(t *testing.T) { requireMoves(t, open(t)) })
	differ(t, open)
}

// differURL names a database of any engine that the test fills and empties, and that is empty or was filled by it.
const differURL = "BROKERAGE_DIFFER_URL"

// The dataset is small, because the stand-in for Db2, which this is mostly for, is slow.
func TestDiffer_URL(t *testing.T) {
	url := os.Getenv(differURL)
	if url == "" {
		testenv.Missing(t, "url", differURL+" names no database for the test to fill and empty")
	}
	d, err := store.Find(url)
	require.NoError(t, err)
	few := dataset.NewOf(1, dataset.Counts{Securities: 40, Customers: 24, Orders: 80})
	s, err := d.OpenBulk(t.Context(), store.Options{})
	require.NoError(t, err)
	holds, err := store.Holds(t.Context(), s)
	require.NoError(t, err)
	require.Contains(t, []string{"", few.Fingerprint()}, holds, "the test would delete it")
	require.NoError(t, s.Close())
	differ(t, func(t testing.TB) twins {
		one, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "few.db"), store.Options{})
		require.NoError(t, err)
		two, err := d.Empty(t.Context(), store.Options{})
		require.NoError(t, err)
		servers := make([]*Server, 0, 2)
		for _, s := range []store.Bulk{one, two} {
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			require.NoError(t, s.LoadDataset(t.Context(), few, nil))
			servers = append(servers, serverOf(t, s, Options{}))
		}
		onDB2 := d.Scheme == db2.Scheme
		return twins{one: servers[0], two: servers[1], d: few, lenient: onDB2, oneOrder: onDB2}
	})
}

// In the pure mode, searches are other statements.
func TestDiffer_PurePostgres(t *testing.T) { differ(t, postgresTwins(t, "&mode=pure")) }

// postgresTwins returns a function that opens a new embedded store and a new database on PostgreSQL, with parameters of
// its URL.
func postgresTwins(t *testing.T, parameters string) func(testing.TB) twins {
	t.Helper()
	server := pgtest.Shared(t)
	name := server.Filled(t, parameters, func(url string) {
		s, err := postgres.Open(t.Context(), url+parameters, postgres.Options{})
		require.NoError(t, err)
		require.NoError(t, s.LoadDataset(t.Context(), generator, nil))
		require.NoError(t, s.Close())
	})
	return func(t testing.TB) twins {
		s, err := postgres.Open(t.Context(), server.URL(server.Clone(t, name))+parameters, postgres.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return twins{one: fresh(t, Options{}), two: serverOf(t, s, Options{}),
			d: generator}
	}
}
