-- The timeline and the position in the log behind everything that is committed, on the primary: the insert position, since with
-- synchronous_commit = off a commit is acknowledged before it is flushed. Where the next record begins a file or a page, the insert
-- position is after its header, which a replica reaches only with that record; then this is the end of the last record.
SELECT ('x' || left(pg_walfile_name(l), 8))::bit(32)::bigint,
  (l - '0/0' - CASE
    WHEN (l - '0/0') % pg_size_bytes(current_setting('wal_segment_size')) = 40 THEN 40
    WHEN (l - '0/0') % current_setting('wal_block_size')::int = 24 THEN 24
    ELSE 0 END)::bigint
FROM pg_current_wal_insert_lsn() AS l
