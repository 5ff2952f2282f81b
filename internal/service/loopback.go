package service

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"

	domain "brokerage/internal/brokerage"
	"brokerage/internal/httpapi"
	"brokerage/internal/store"
	"brokerage/internal/store/guard"
	"brokerage/internal/telemetry"
)

// Loopback serves an open store with the default settings on a free port of this machine, without a log and without
// authentication. It returns the URL, and what stops it.
func Loopback(
	ctx context.Context, database store.Database, opened domain.Store, build telemetry.BuildInfo,
) (url string, stop func() error, err error) {
	c := Default()
	log := slog.New(slog.DiscardHandler)
	metrics := telemetry.New(build)
	if stats := database.Stats(opened); stats != nil {
		metrics.Store(stats)
	}
	api, err := httpapi.New(guard.New(opened, guard.Options{Timeout: c.Timeout}), httpapi.Options{
		Log: log, Version: build.Version, Metrics: metrics, Timeout: c.Timeout, MaxBody: int64(c.MaxBody),
		InFlight: c.InFlight, Queue: c.Queue, QueueWait: c.QueueWait,
	})
	if err != nil {
		return "", nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := c.httpServer(api, log)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() error {
		err := server.Close()
		if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}, nil
}
