-- What the service's role may do, if there is one: read and write documents, and
-- nothing that changes the schema. Accounts are the trigger's to write. To be run
-- by the owner; making the schema ends with it.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'brokerage_service') THEN
    GRANT USAGE ON SCHEMA brokerage TO brokerage_service;
    GRANT SELECT ON ALL TABLES IN SCHEMA brokerage TO brokerage_service;
    GRANT INSERT, UPDATE, DELETE ON brokerage.orders, brokerage.customers, brokerage.securities, brokerage.answers TO brokerage_service;
    IF to_regclass('brokerage.order_homes') IS NOT NULL THEN -- the spread layout, which has no trigger
      GRANT INSERT, UPDATE, DELETE ON brokerage.account_homes, brokerage.order_homes, brokerage.security_search TO brokerage_service;
    END IF;
    GRANT UPDATE ON brokerage.leases TO brokerage_service;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA brokerage TO brokerage_service; -- those that compute keys; only needed where PUBLIC has lost it
  END IF;
END $$;
