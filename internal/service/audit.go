package service

import (
	"errors"

	"brokerage/internal/audit"
)

// auditLog opens the audit log; nil if none is wanted.
func (s *service) auditLog() (*audit.Log, error) {
	report := func(err error) {
		if lost, ok := errors.AsType[audit.Lost](err); ok {
			s.log.Error("the audit log lost records while it could not be written", "file", s.AuditLog, "records", int64(lost))
			return
		}
		if err != nil {
			s.log.Error("cannot write the audit log, so changes are refused until it can be written", "file", s.AuditLog,
				"error", err)
			return
		}
		s.log.Info("the audit log can be written again", "file", s.AuditLog)
	}
	switch s.AuditLog {
	case "":
		return nil, nil //nolint:nilnil // none wanted
	case "-":
		return audit.To(s.process.Out, report), nil
	default:
		return audit.Open(s.AuditLog, report)
	}
}
