SELECT hash, answer, expires FROM answers WHERE client = ? AND key = ?
