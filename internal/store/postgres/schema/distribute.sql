-- On a Citus cluster: SHARDS shards of each table, spread over its nodes, by the key by which documents and rows are
-- found. Citus would change the shards of a table on several connections, and then refuse the next command.
SET LOCAL citus.multi_shard_modify_mode = 'sequential';
SELECT create_reference_table('brokerage.settings');
SELECT create_reference_table('brokerage.leases');
SELECT create_reference_table('brokerage.security_search');
SELECT create_distributed_table('brokerage.customers', 'id', colocate_with => 'none', shard_count => SHARDS);
SELECT create_distributed_table('brokerage.orders', 'id', colocate_with => 'none', shard_count => SHARDS);
SELECT create_distributed_table('brokerage.accounts', 'account', colocate_with => 'none', shard_count => SHARDS);
SELECT create_distributed_table('brokerage.account_orders', 'account', colocate_with => 'brokerage.accounts');
SELECT create_distributed_table('brokerage.securities', 'symbol', colocate_with => 'none', shard_count => SHARDS);
SELECT create_distributed_table('brokerage.answers', 'slot', colocate_with => 'none', shard_count => SHARDS);
SELECT create_distributed_table('brokerage.once_slots', 'slot', colocate_with => 'brokerage.answers');
