UPDATE brokerage.leases SET next = next + $2 WHERE kind = $1 RETURNING next - $2
