SELECT hash, answer, expires FROM answers WHERE client = ?1 AND key = ?2
