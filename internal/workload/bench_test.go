package workload

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkClient measures one get_order of a client, against a server that always writes the same bytes.
func BenchmarkClient(b *testing.B) {
	body := `<Order xmlns="http://www.fixprotocol.org/FIXML-4-4" ID="103282">` + strings.Repeat("x", 1400) + "</Order>"
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n%s"
	answer := fmt.Sprintf(head, len(body), body)
	url := listen(b, func(conn net.Conn) {
		for in := bufio.NewReader(conn); ; {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return
			}
			if len(line) == len("\r\n") { // the end of a request
				_, _ = io.WriteString(conn, answer)
			}
		}
	})
	h, err := NewHTTP(url, "", nil)
	require.NoError(b, err)
	s, err := h.open(b.Context(), checker{keys: true}, Primary)
	require.NoError(b, err)
	defer s.close()
	b.ReportAllocs()
	c := &call{transaction: getOrder, id: 103_282}
	for b.Loop() {
		if o := s.do(b.Context(), c); o != done {
			b.Fatal(o)
		}
	}
}

// BenchmarkDraw measures drawing a transaction of the mixed workload and making its document.
func BenchmarkDraw(b *testing.B) {
	d, err := Load("mixed")
	require.NoError(b, err)
	u := newTestUser(b, d, 1, 0, 1)
	b.ReportAllocs()
	for b.Loop() {
		if u.draw(u.mix[u.choose()].Transaction) {
			u.keep()
		}
	}
}

// BenchmarkCollect measures counting a transaction.
func BenchmarkCollect(b *testing.B) {
	c := newCollector([]part{{getOrder, 1}})
	samples := &batch{samples: make([]sample, batchSize)}
	for i := range samples.samples {
		samples.samples[i].took = int64(i) * 1000
	}
	b.ReportAllocs()
	for b.Loop() {
		for i := range samples.samples {
			c.interval[0].add(&samples.samples[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batchSize, "ns/sample")
}
