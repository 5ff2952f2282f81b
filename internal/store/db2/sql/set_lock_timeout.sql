-- Begins each connection: what stands in for cancelling, which the driver cannot do, with the time-out of statements. It
-- is not undone by a rollback. The store puts the number in; the statement takes no marker.
-- Manual: SET CURRENT LOCK TIMEOUT statement.
SET CURRENT LOCK TIMEOUT = $seconds
