package main

import (
	"log/slog"

	"brokerage/internal/audit"
)

// audit opens the audit log, if there is to be one.
func (c *serveCmd) audit(s streams, log *slog.Logger) (*audit.Log, error) {
	told := func(err error) {
		if err != nil {
			log.Error("the audit log cannot be written, so nothing is changed until it can", "file", c.AuditLog, "error", err)
			return
		}
		log.Info("the audit log is written again", "file", c.AuditLog)
	}
	switch c.AuditLog {
	case "":
		return nil, nil //nolint:nilnil // without one
	case "-":
		return audit.To(s.out, told), nil
	default:
		return audit.Open(c.AuditLog, told)
	}
}
