-- Makes a registered schema usable: SQL schema (INOUT), name (INOUT), properties, 0 for no decomposition.
-- Manual: XSR_COMPLETE procedure.
CALL SYSPROC.XSR_COMPLETE(?, ?, ?, 0)
