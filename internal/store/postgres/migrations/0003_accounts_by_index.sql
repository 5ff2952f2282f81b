-- The trigger finds each account of a document by its key. Its statement is planned
-- once for a connection, and scans the table if that was small then: deleting a
-- customer of 30,000 accounts took half a minute.
ALTER FUNCTION brokerage.accounts_follow() SET enable_seqscan = off;
