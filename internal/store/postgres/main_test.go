package postgres

import (
	"testing"

	"brokerage/internal/store/postgres/pgtest"
)

func TestMain(m *testing.M) {
	statements[lockCustomersOfAccounts], classified[lockCustomersOfAccounts] = lockCustomersOfAccountsSQL, true
	pgtest.Main(m)
}
