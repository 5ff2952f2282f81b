package null

import "testing"

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		if _, err := Open(); err != nil {
			b.Fatal(err)
		}
	}
}

// All queries do the same, and so do all writes that check nothing; the cost of the others is that of reading keys.
func BenchmarkStore(b *testing.B) {
	s, d := opened(b), generator(b)
	b.Run("get_order", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.GetOrder(b.Context(), 7); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, name := range []string{
		"delete_order", "insert_order", "insert_customer", "buy_security", "update_security_price",
	} {
		write := writes(s, d)[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := write(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
