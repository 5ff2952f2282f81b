package service

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"brokerage/internal/dataset"
)

// greet writes the address of the service, and three requests that can be sent unchanged. If the store is open and
// holds a generated dataset, they are two queries and a trade of the first customer.
func (s *service) greet(ctx context.Context) {
	addr := s.listeners.main.Addr().String()
	if tcp, ok := s.listeners.main.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		addr = net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	base := "http://" + addr
	if s.certificate != nil {
		base = "https://" + addr
	}
	requests := []string{base + "/v1/dataset", base + "/readyz", base + "/openapi.yaml"}
	if s.store != nil {
		bounded, cancel := context.WithTimeout(ctx, observeTimeout)
		defer cancel()
		contents, err := s.store.Contents(bounded)
		spec, unknown := dataset.ParseSpec(contents.Scale, contents.Profile, contents.Seed)
		if err == nil && unknown == nil {
			d := dataset.New(spec)
			account := d.FirstAccount(0)
			symbol := d.Symbol(int(account % d.Count(dataset.Security))) // of its first position
			requests = []string{
				fmt.Sprintf("%s/v1/securities/%s/price", base, symbol),
				fmt.Sprintf("%s/v1/customers/%d/statement", base, d.ID(dataset.Customer, 0)),
				fmt.Sprintf(
					`-H 'Content-Type: application/xml' `+
						`-d '<Trade xmlns="http://tpox-benchmark.com/custacc"><Symbol>%s</Symbol><Quantity>1</Quantity></Trade>' `+
						`%s/v1/accounts/%d/buy`,
					symbol, base, account),
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		"\n  The brokerage is at %s; watch and try it in a browser. Documentation: %[1]s/docs. Ctrl-C stops it.\n\n",
		base)
	curl := "  curl "
	if s.credentials != nil {
		curl += `-H "Authorization: Bearer $TOKEN" `
	}
	for _, request := range requests {
		b.WriteString(curl + request + "\n")
	}
	_, _ = io.WriteString(s.process.Out, b.String()+"\n") // a greeting that cannot be written is no reason to stop
}
