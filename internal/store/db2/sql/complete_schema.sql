-- Makes a registered schema usable, not for decomposition.
-- Manual: XSR_COMPLETE procedure.
CALL SYSPROC.XSR_COMPLETE('$schema', '$name', NULL, 0)
