-- Lets a service validate if its user does not own the registered schemas. Db2 grants this to PUBLIC only.
-- Manual: GRANT (XSR object privileges) statement.
GRANT USAGE ON XSROBJECT "$schema"."$name" TO PUBLIC
