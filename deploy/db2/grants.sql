-- What a service needs whose user does not own the tables: it reads and writes documents, and cannot change the schema. Edit the
-- names of schema, role and user, then run it after "brokerage migrate", as the owner of the tables or a user with SECADM and
-- ACCESSCTRL. It continues after errors:
--
--   db2 connect to TPOX && db2 -tvf deploy/db2/grants.sql

CREATE ROLE brokerage_service;
GRANT CONNECT ON DATABASE TO ROLE brokerage_service;
GRANT ROLE brokerage_service TO USER brokerage;

-- The documents, and what the service keeps beside them.
GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE TPOX.custacc TO ROLE brokerage_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE TPOX.orders TO ROLE brokerage_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE TPOX.security TO ROLE brokerage_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE TPOX.answers TO ROLE brokerage_service;
GRANT SELECT, UPDATE ON TABLE TPOX.leases TO ROLE brokerage_service;
GRANT SELECT ON TABLE TPOX.settings TO ROLE brokerage_service;

-- XMLVALIDATE. "brokerage migrate" has granted this already; Db2 grants it to PUBLIC only.
GRANT USAGE ON XSROBJECT TPOX.CUSTACC TO PUBLIC;
GRANT USAGE ON XSROBJECT TPOX.ORDERS TO PUBLIC;
GRANT USAGE ON XSROBJECT TPOX.SECURITY TO PUBLIC;

-- The version and the settings that results name, and the check of the codeset. In a database that is not RESTRICTIVE, PUBLIC has
-- most of the following.
GRANT SELECT ON TABLE SYSIBMADM.ENV_INST_INFO TO ROLE brokerage_service;
GRANT EXECUTE ON FUNCTION SYSPROC.ENV_GET_INST_INFO TO ROLE brokerage_service;
GRANT SELECT ON TABLE SYSIBMADM.DBCFG TO ROLE brokerage_service;
GRANT EXECUTE ON FUNCTION SYSPROC.DB_GET_CFG TO ROLE brokerage_service;
GRANT SELECT ON TABLE SYSCAT.TABLES TO ROLE brokerage_service;
GRANT SELECT ON TABLE SYSCAT.COLUMNS TO ROLE brokerage_service;

-- Metrics, and what load tests read of the server.
GRANT EXECUTE ON FUNCTION SYSPROC.MON_GET_BUFFERPOOL TO ROLE brokerage_service;
GRANT EXECUTE ON FUNCTION SYSPROC.ADMIN_GET_TAB_INFO TO ROLE brokerage_service;

-- A user who loads and does not own the tables also needs these: the mark of an unfinished load, the lock of a load, and RUNSTATS
-- and TRUNCATE (load --replace), which CONTROL covers.
-- GRANT INSERT, DELETE ON TABLE TPOX.settings TO USER loader;
-- GRANT SELECT, DELETE ON TABLE TPOX.loads TO USER loader;
-- GRANT CONTROL ON TABLE TPOX.custacc TO USER loader;
-- GRANT CONTROL ON TABLE TPOX.orders TO USER loader;
-- GRANT CONTROL ON TABLE TPOX.security TO USER loader;

-- A user who runs "brokerage migrate" without DBADM in a schema of his own. BUFFERPOOL and TABLESPACE need SYSCTRL besides.
-- GRANT CREATETAB, CONNECT ON DATABASE TO USER owner;
-- GRANT EXECUTE ON PROCEDURE SYSPROC.XSR_REGISTER TO USER owner;
-- GRANT EXECUTE ON PROCEDURE SYSPROC.XSR_COMPLETE TO USER owner;
-- GRANT EXECUTE ON PROCEDURE SYSPROC.ADMIN_CMD TO USER owner;
