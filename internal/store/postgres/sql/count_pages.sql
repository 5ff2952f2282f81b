SELECT blks_hit, blks_read FROM pg_stat_database WHERE datname = current_database()
