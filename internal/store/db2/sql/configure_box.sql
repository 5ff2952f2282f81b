-- The setting "box" leaves the memory to the Configuration Advisor. Its defaults are 25 % of the memory, 60 transactions a
-- minute and isolation RR, and CREATE DATABASE has applied them already; autoconfigure=PERCENT replaces this statement by
-- configure_advisor.sql. It requires SYSADM: where the service's user has less, migrate says so, and an administrator runs it.
-- Manual: AUTOCONFIGURE command using the ADMIN_CMD procedure.
CALL SYSPROC.ADMIN_CMD('AUTOCONFIGURE APPLY DB ONLY');
