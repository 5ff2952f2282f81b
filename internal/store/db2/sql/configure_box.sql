-- The setting "box" leaves the memory to the Configuration Advisor, with its defaults. It wants SYSADM: where the service's
-- user has less, migrate says so, and an administrator runs it.
-- Manual: AUTOCONFIGURE command using the ADMIN_CMD procedure.
CALL SYSPROC.ADMIN_CMD('AUTOCONFIGURE APPLY DB ONLY')
