-- On a Citus cluster: SHARDS shards of each table, spread over its nodes.
ALTER TABLE brokerage.customers SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE brokerage.securities SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE brokerage.orders SET (autovacuum_vacuum_scale_factor = 0.05);

SELECT create_reference_table('brokerage.settings');
SELECT create_reference_table('brokerage.leases');
SELECT create_reference_table('brokerage.security_search');
SELECT create_distributed_table('brokerage.customers', 'customer', colocate_with => 'none', shard_count => SHARDS);
SELECT create_distributed_table('brokerage.orders', 'home', colocate_with => 'brokerage.customers');
SELECT create_distributed_table('brokerage.account_homes', 'account', colocate_with => 'none', shard_count => SHARDS);
SELECT create_distributed_table('brokerage.order_homes', 'id', colocate_with => 'none', shard_count => SHARDS);
SELECT create_distributed_table('brokerage.securities', 'symbol', colocate_with => 'none', shard_count => SHARDS);
SELECT create_distributed_table('brokerage.answers', 'slot', colocate_with => 'none', shard_count => SHARDS);
SELECT create_distributed_table('brokerage.once_slots', 'slot', colocate_with => 'brokerage.answers');

INSERT INTO brokerage.once_slots SELECT generate_series(0, 63);
