SELECT next FROM brokerage.leases WHERE kind = $1
