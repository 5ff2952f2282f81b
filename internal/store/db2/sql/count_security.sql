SELECT COUNT(*) FROM security
