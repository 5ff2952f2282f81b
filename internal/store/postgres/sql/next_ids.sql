SELECT (SELECT coalesce(max((keys).id), 0) + 1 FROM brokerage.orders), (SELECT coalesce(max((keys).id), 0) + 1 FROM brokerage.customers),
  (SELECT coalesce(max(account), 0) + 1 FROM brokerage.accounts)
