package workload

import (
	"testing"
	"time"
)

// BenchmarkSleep is how late sleeps of 0.3 ms are.
func BenchmarkSleep(b *testing.B) {
	const long = 300 * time.Microsecond
	s := newSleeper()
	defer s.close()
	for name, sleep := range map[string]func(time.Duration){"precisely": s.sleep, "time": time.Sleep} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sleep(long)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)-float64(long.Microseconds()), "µs-late")
		})
	}
}
