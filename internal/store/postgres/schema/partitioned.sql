-- On one server: SHARDS partitions of each table.
DO $$
DECLARE
  t record;
BEGIN
  FOR t IN SELECT * FROM (VALUES
    ('customers', 'fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02'),
    ('securities', 'fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02'),
    ('orders', 'autovacuum_vacuum_scale_factor = 0.05'),
    ('account_homes', 'fillfactor = 100'), ('order_homes', 'fillfactor = 100'), ('answers', 'fillfactor = 100'), ('once_slots', 'fillfactor = 100')
  ) AS tables (name, options)
  LOOP
    FOR n IN 0 .. SHARDS - 1 LOOP
      EXECUTE format('CREATE TABLE brokerage.%1$I PARTITION OF brokerage.%2$I FOR VALUES WITH (MODULUS SHARDS, REMAINDER %3$s) WITH (%4$s)',
        t.name || '_p' || n, t.name, n, t.options);
    END LOOP;
  END LOOP;
END $$;

INSERT INTO brokerage.once_slots SELECT generate_series(0, 63);
