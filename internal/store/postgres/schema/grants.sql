-- What the service's role may do, if there is one: read and write documents, and nothing that changes the schema. To be
-- run by the owner; making the schema ends with it.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'brokerage_service') THEN
    GRANT USAGE ON SCHEMA brokerage TO brokerage_service;
    GRANT SELECT ON ALL TABLES IN SCHEMA brokerage TO brokerage_service;
    GRANT INSERT, UPDATE, DELETE ON brokerage.orders, brokerage.customers, brokerage.securities, brokerage.accounts,
      brokerage.account_orders, brokerage.security_search, brokerage.answers TO brokerage_service;
    GRANT UPDATE ON brokerage.leases TO brokerage_service;
  END IF;
END $$;
