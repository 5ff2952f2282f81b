-- As in 0001, but what stays the same for all accounts of a document is read from
-- it once: (NEW.keys).id in the loop unpacked and copied every account of the
-- document for each of them, so that 22,000 accounts took 9 seconds.
CREATE OR REPLACE FUNCTION brokerage.accounts_follow() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  before bigint[] := CASE WHEN TG_OP <> 'INSERT' THEN (OLD.keys).accounts END;
  after  bigint[] := CASE WHEN TG_OP <> 'DELETE' THEN (NEW.keys).accounts END;
  owner  bigint   := CASE WHEN TG_OP <> 'DELETE' THEN (NEW.keys).id END;
  moved  boolean  := TG_OP = 'UPDATE' AND (OLD.keys).id <> owner;
  a record;
BEGIN
  FOR a IN
    SELECT u.account, bool_or(u.was) AS was, count(*) FILTER (WHERE NOT u.was) AS times
    FROM (SELECT unnest(before) AS account, true AS was UNION ALL SELECT unnest(after), false) AS u
    GROUP BY u.account ORDER BY u.account
  LOOP
    IF a.was AND (a.times = 0 OR moved) THEN
      DELETE FROM brokerage.accounts WHERE account = a.account;
    END IF;
    IF a.times > 0 AND (NOT a.was OR moved) THEN
      INSERT INTO brokerage.accounts (account, customer) VALUES (a.account, owner);
    END IF;
    IF a.times > 1 THEN
      RAISE unique_violation USING MESSAGE = format('account %s stands twice', a.account),
        SCHEMA = 'brokerage', TABLE = 'accounts', CONSTRAINT = 'accounts_account';
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
