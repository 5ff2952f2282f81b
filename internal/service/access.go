package service

import (
	"context"
	"log/slog"
	"time"

	"brokerage/internal/access"
)

// credentials identify clients: tokens of a file, JWTs of an issuer, or both.
type credentials struct {
	tokens *access.Tokens // nil: none
	jwts   *access.JWTs   // nil: none
	file   string
}

// readCredentials reads the tokens and the issuer's keys; nil if the service is open to all.
func (s *service) readCredentials(ctx context.Context) (c *credentials, err error) {
	c = &credentials{file: s.Tokens}
	if s.Tokens != "" {
		if c.tokens, err = access.Load(s.Tokens); err != nil {
			return nil, err
		}
		if c.tokens.Len() == 0 {
			s.log.Warn("the file holds no tokens, so every request is refused", "file", s.Tokens)
		}
	}
	if s.JWTIssuer != "" {
		if c.jwts, err = access.OpenJWTs(ctx, access.JWTOptions{
			Issuer: s.JWTIssuer, Audience: s.JWTAudience, KeysURL: s.JWKSURL, KeysFile: s.JWKSFile,
			Algorithms: s.JWTAlgorithms, MaxAge: s.JWKSMaxAge,
			Refreshed: logKeys(s.log), Transport: s.traces.outgoing("fetch keys"),
		}); err != nil {
			return nil, configErrorf("--jwt-issuer: %w", err)
		}
	}
	if c.tokens == nil && c.jwts == nil {
		return nil, nil //nolint:nilnil // open to all
	}
	return c, nil
}

// authority returns what identifies the clients of the API.
func (c *credentials) authority() access.Authority {
	var all access.Any
	if c.tokens != nil {
		all = append(all, c.tokens)
	}
	if c.jwts != nil {
		all = append(all, c.jwts)
	}
	return all
}

// reloadInterval is the time between two looks at a file that may have changed.
const reloadInterval = time.Second

// watch rereads the tokens and the keys when they change, until ctx is done.
func (c *credentials) watch(ctx context.Context, log *slog.Logger) {
	if c.tokens != nil {
		go c.tokens.Watch(ctx, reloadInterval, func(err error) { logReload(log, c.file, c.tokens.Len(), err) })
	}
	if c.jwts != nil {
		go c.jwts.Watch(ctx, reloadInterval)
	}
}

func logReload(log *slog.Logger, file string, n int, err error) {
	if err != nil {
		log.Error("tokens not reloaded, the old ones stay valid", "file", file, "error", err)
		return
	}
	log.Info("tokens reloaded", "file", file, "tokens", n)
}

func logKeys(log *slog.Logger) func(int, error) {
	return func(keys int, err error) {
		if err != nil {
			log.Error("cannot refresh the keys for JWTs, the old ones stay valid until --jwks-max-age", "error", err)
			return
		}
		log.Info("keys for JWTs", "keys", keys)
	}
}
