package main

import (
	"errors"
	"log/slog"

	"brokerage/internal/audit"
)

// audit opens the audit log, if there is to be one.
func (c *serveCmd) audit(s streams, log *slog.Logger) (*audit.Log, error) {
	told := func(err error) {
		if lost, ok := errors.AsType[audit.Lost](err); ok {
			log.Error("the audit log lost records while it could not be written", "file", c.AuditLog, "records", int64(lost))
			return
		}
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
