UPDATE leases SET next = next + ?2 WHERE kind = ?1 AND next <= ?3 RETURNING next - ?2
