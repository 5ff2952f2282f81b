-- Held by a load as long as it lasts, on a connection of its own.
-- Manual: LOCK TABLE statement.
LOCK TABLE loads IN EXCLUSIVE MODE
