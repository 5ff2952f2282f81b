-- Held by a load as long as it lasts, on a connection of its own. A lock that writes nothing: an open transaction that had
-- written would keep the log from being reused, and fill it (SQL0964C).
-- Manual: lock-request-clause; isolation-clause.
SELECT value FROM settings WHERE name = 'load.lock' WITH RS USE AND KEEP UPDATE LOCKS
