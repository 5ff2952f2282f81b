package service

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// greet writes the address of the service, and three requests that can be sent unchanged, with keys that are in the
// database. The store is nil if it is not open yet.
func greet(ctx context.Context, out io.Writer, s tpox.Store, base string, closed bool) {
	var b strings.Builder
	fmt.Fprintf(&b,
		"\n  The brokerage is at %s; watch and try it in a browser. Documentation: %[1]s/docs. Ctrl-C stops it.\n\n",
		base)
	curl := "  curl "
	if closed {
		curl += `-H "Authorization: Bearer $TOKEN" `
	}
	for _, request := range examples(ctx, s, base) {
		b.WriteString(curl + request + "\n")
	}
	b.WriteString("\n")
	_, _ = io.WriteString(out, b.String()) // a greeting that cannot be written is no reason to stop
}

// examples returns two queries and a trade of the first customer, as arguments of curl.
func examples(ctx context.Context, s tpox.Store, base string) []string {
	general := []string{base + "/v1/dataset", base + "/readyz", base + "/openapi.yaml"}
	if s == nil {
		return general
	}
	ctx, cancel := context.WithTimeout(ctx, observeTimeout)
	defer cancel()
	contents, err := s.Contents(ctx)
	if err != nil {
		return general
	}
	spec, err := dataset.ParseSpec(contents.Scale, contents.Profile, contents.Seed)
	if err != nil { // loaded from files: the keys are not known
		return general
	}
	d := dataset.New(spec)
	account := d.FirstAccount(0)
	symbol := d.Symbol(int(account % d.Count(dataset.Security))) // of its first position
	return []string{
		fmt.Sprintf("%s/v1/securities/%s/price", base, symbol),
		fmt.Sprintf("%s/v1/customers/%d/statement", base, d.ID(dataset.Customer, 0)),
		fmt.Sprintf(
			`-H 'Content-Type: application/xml' `+
				`-d '<Trade xmlns="http://tpox-benchmark.com/custacc"><Symbol>%s</Symbol><Quantity>1</Quantity></Trade>' `+
				`%s/v1/accounts/%d/buy`,
			symbol, base, account),
	}
}

// localAddress returns the address under which clients on this machine reach addr.
func localAddress(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
}
