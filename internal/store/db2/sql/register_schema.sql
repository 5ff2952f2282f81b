-- Registers a schema for XMLVALIDATE, as bytes: SQL schema (INOUT; NULL is CURRENT SCHEMA), name (INOUT), location, content,
-- properties. complete_schema follows; each of the three schemas is one file, so that nothing is added between.
-- Manual: XSR_REGISTER procedure.
CALL SYSPROC.XSR_REGISTER(?, ?, ?, ?, ?)
