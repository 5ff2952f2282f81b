package db2

import (
	"testing"

	"brokerage/internal/store/db2/db2test"
)

func TestMain(m *testing.M) { db2test.Main(m) }
