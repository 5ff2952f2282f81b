package workload

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// HDRMethod describes the percentiles in a result.
const HDRMethod = "HdrHistogram, 3 significant digits: at most 0.1 % above the true value"

const (
	hdrEncoding = "hdr-v2-deflate-base64"
	nanoseconds = "nanoseconds"
	hdrDigits   = 3
	hdrLongest  = int64(time.Hour)
)

func newHDR() *hdrhistogram.Histogram { return hdrhistogram.New(1, hdrLongest, hdrDigits) }

// EncodeHistogram returns a histogram in the form that results have.
func EncodeHistogram(h *hdrhistogram.Histogram) (*Histogram, error) {
	data, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encoding a histogram: %w", err)
	}
	return &Histogram{Method: HDRMethod, Unit: nanoseconds, Encoding: hdrEncoding, Data: string(data)}, nil
}

// Decode returns the histogram that EncodeHistogram encoded.
func (h *Histogram) Decode() (*hdrhistogram.Histogram, error) {
	if h.Encoding != hdrEncoding || h.Unit != nanoseconds {
		return nil, fmt.Errorf("a histogram of %s in %s is not supported", h.Unit, h.Encoding)
	}
	decoded, err := hdrhistogram.Decode([]byte(h.Data))
	if err != nil {
		return nil, fmt.Errorf("decoding a histogram: %w", err)
	}
	return decoded, nil
}
