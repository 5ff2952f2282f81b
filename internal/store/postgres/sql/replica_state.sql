-- How far a replica has replayed, NULL where the server is none, and the timeline that its data are marked with: see replica.go.
SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END::text,
  (SELECT answer FROM brokerage.answers WHERE slot = 0 AND client = $1 AND key = $2)
