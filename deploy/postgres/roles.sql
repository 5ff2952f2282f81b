-- Two roles, and a database that the first of them owns: for a superuser, once.
--
--   psql -v owner_password=… -v service_password=… -f deploy/postgres/roles.sql
--
-- brokerage_owner makes and migrates the schema, loads and restores; neither is
-- needed to serve. brokerage_service is who the service is: it reads and writes
-- documents and can change nothing of the schema (internal/store/postgres/grants.sql).

CREATE ROLE brokerage_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE brokerage_service LOGIN PASSWORD :'service_password';

CREATE DATABASE brokerage OWNER brokerage_owner ENCODING 'UTF8' TEMPLATE template0;

REVOKE ALL ON DATABASE brokerage FROM PUBLIC;
GRANT CONNECT ON DATABASE brokerage TO brokerage_service;
