-- The timeline that the data of a server are marked with, and how far it has replayed, -1 where it is no replica: see replica.go.
SELECT coalesce((SELECT ('x' || convert_from(answer, 'UTF8'))::bit(32)::bigint FROM brokerage.answers
    WHERE slot = 0 AND client = $1 AND key = $2), 0),
  CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() - '0/0' ELSE -1 END::bigint
