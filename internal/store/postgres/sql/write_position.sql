-- The timeline and the position in the log behind everything that is committed, on the primary. The insert position, and not
-- that of the flush: with synchronous_commit = off a commit is acknowledged before it is flushed.
SELECT left(pg_walfile_name(l), 8), l::text FROM pg_current_wal_insert_lsn() AS l
