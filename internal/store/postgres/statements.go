package postgres

import (
	"embed"

	"brokerage/internal/store/sqlfiles"
)

//go:embed sql/*.sql
var sqlFiles embed.FS

// statements are the texts in sql/ by name.
var statements = sqlfiles.Read(sqlFiles)
