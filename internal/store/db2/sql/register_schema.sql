-- Registers a schema for XMLVALIDATE: SQL schema, name, location, content as bytes, no properties. The first three are
-- literals, which the store puts in (see migrate.go): they are INOUT, and the driver describes no such parameters. The
-- content goes over as text, since the driver binds bytes as a CHAR FOR BIT DATA, which is too short for a schema.
-- complete_schema follows; each of the three schemas is one file, so that nothing is added between.
-- Manual: XSR_REGISTER procedure; BLOB scalar function.
CALL SYSPROC.XSR_REGISTER('$schema', '$name', '$file', BLOB(CAST(? AS CLOB(1M))), NULL)
