package service

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"brokerage/internal/audit"
	"brokerage/internal/store"
)

// openAudit opens the audit log if one is set. The signal SIGHUP reopens its file.
func (s *service) openAudit(ctx context.Context) (err error) {
	options := audit.Options{
		Fault:  s.reportAudit,
		Inputs: []string{s.database.Path(), s.Tokens, s.JWKSFile, s.TLSCert, s.TLSKey, s.TLSClientCA, s.process.Config},
		Room: func() (free, size float64, known bool) {
			return store.DiskSpace(filepath.Dir(s.AuditLog))
		},
	}
	switch s.AuditLog {
	case "":
		return nil
	case "-":
		s.audit = audit.To(s.process.Out, audit.Options{Fault: s.reportAudit})
		s.onClose(s.audit.Close)
		return nil
	}
	s.audit, err = Await(ctx, func(context.Context) (*audit.Log, error) { return audit.Open(s.AuditLog, options) })
	if err != nil {
		return err
	}
	s.onClose(s.audit.Close)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	var reopening sync.WaitGroup
	reopening.Go(func() {
		for range hangups {
			if err := s.audit.Reopen(); err != nil {
				s.log.Error("audit log not reopened, the old file stays in use", "file", s.AuditLog, "error", err)
				continue
			}
			s.log.Info("audit log reopened", "file", s.AuditLog)
		}
	})
	s.onClose(func() error {
		signal.Stop(hangups)
		close(hangups)
		reopening.Wait()
		return nil
	})
	return nil
}

// reportAudit logs a fault of the audit log, the records that it lost, or, without an error, the end of the fault.
func (s *service) reportAudit(err error) {
	lost, isLost := errors.AsType[audit.Lost](err)
	switch {
	case isLost:
		s.log.Error("the audit log lost records while it could not be written", "file", s.AuditLog, "records", int64(lost))
	case err != nil:
		s.log.Error("cannot write the audit log, so writes are refused until it can be written", "file", s.AuditLog,
			"error", err)
	default:
		s.log.Info("the audit log can be written again", "file", s.AuditLog)
	}
}
