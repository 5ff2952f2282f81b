-- Registers a schema for XMLVALIDATE and makes it usable, from the table schemas. It is a block, and not two CALLs, because
-- the first two arguments are INOUT, which requires variables, and because the client library takes nothing but markers and
-- literals as arguments of a CALL (CLI0118E), and the driver binds bytes as a type that is too short for a schema. The
-- store puts the names in (see schema.go): a block takes no markers for its declarations.
-- Manual: XSR_REGISTER procedure; XSR_COMPLETE procedure; Compound SQL (compiled) statement.
BEGIN
  DECLARE owner VARCHAR(128) DEFAULT '$schema';
  DECLARE name VARCHAR(128) DEFAULT '$name';
  DECLARE text BLOB(1M);
  SELECT content INTO text FROM schemas WHERE file = '$file';
  CALL SYSPROC.XSR_REGISTER(owner, name, '$file', text, NULL);
  CALL SYSPROC.XSR_COMPLETE(owner, name, NULL, 0);
END
