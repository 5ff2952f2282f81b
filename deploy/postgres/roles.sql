-- Creates two roles, and a database that the first of them owns. A superuser runs it,
-- and may run it again to change the passwords.
--
--   psql -v owner_password=… -v service_password=… -f deploy/postgres/roles.sql postgres
--
-- brokerage_owner creates the schema, loads and restores; it is not
-- needed to serve. brokerage_service is the role of the service: it reads and
-- writes documents and cannot change the schema (internal/store/postgres/schema/grants.sql).
-- An existing database brokerage, with its contents, becomes theirs. In a Citus
-- cluster it is run in that database, on the coordinator (docs/scaling.md).

\set ON_ERROR_STOP on

SELECT format('CREATE ROLE %I LOGIN', name) FROM unnest(ARRAY['brokerage_owner', 'brokerage_service']) AS name
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
GRANT pg_read_all_stats TO brokerage_owner; -- to see what sessions of the service wait for
ALTER ROLE brokerage_owner PASSWORD :'owner_password';
ALTER ROLE brokerage_service PASSWORD :'service_password';

SELECT 'CREATE DATABASE brokerage ENCODING ''UTF8'' TEMPLATE template0'
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'brokerage') \gexec
ALTER DATABASE brokerage OWNER TO brokerage_owner;

REVOKE ALL ON DATABASE brokerage FROM PUBLIC;
GRANT CONNECT ON DATABASE brokerage TO brokerage_service;

\connect brokerage
SELECT to_regnamespace('brokerage') IS NOT NULL AS filled \gset
\if :filled
SELECT format('ALTER %s OWNER TO brokerage_owner', what) FROM (
  SELECT 'SCHEMA brokerage' AS what
  UNION ALL SELECT format('TABLE %s', oid::regclass) FROM pg_class WHERE relnamespace = 'brokerage'::regnamespace AND relkind = 'r'
  UNION ALL SELECT format('TYPE %s', reltype::regtype) FROM pg_class WHERE relnamespace = 'brokerage'::regnamespace AND relkind = 'c'
  UNION ALL SELECT format('FUNCTION %s', oid::regprocedure) FROM pg_proc WHERE pronamespace = 'brokerage'::regnamespace
) AS owned \gexec
\ir ../../internal/store/postgres/schema/grants.sql
\endif
