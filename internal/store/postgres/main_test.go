package postgres

import (
	"testing"

	"brokerage/internal/store/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
