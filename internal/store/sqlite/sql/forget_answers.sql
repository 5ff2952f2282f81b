DELETE FROM answers WHERE expires <= ?1
