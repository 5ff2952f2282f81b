SELECT (SELECT coalesce(max(id), 0) + 1 FROM brokerage.order_homes), (SELECT coalesce(max(customer), 0) + 1 FROM brokerage.customers),
  (SELECT coalesce(max(account), 0) + 1 FROM brokerage.account_homes)
