package service

import (
	"context"
	"time"

	"brokerage/internal/access"
)

// credentials identify clients: tokens of a file, JWTs of an issuer, or both.
type credentials struct {
	authorities access.Any
	watch       []func(context.Context) // reread tokens and keys when they change, until the context is done
}

// reloadInterval is the time between two checks whether a file has changed.
const reloadInterval = time.Second

// readCredentials reads the tokens and the issuer's keys; nil if the service is open to all.
func (s *service) readCredentials(ctx context.Context) (*credentials, error) {
	c := new(credentials)
	if s.Tokens != "" {
		tokens, err := access.Load(s.Tokens)
		if err != nil {
			return nil, err
		}
		if tokens.Len() == 0 {
			s.log.Warn("the file holds no tokens, so it admits no client", "file", s.Tokens)
		}
		c.authorities = append(c.authorities, tokens)
		s.insight.metrics.Reloaded("tokens", nil)
		c.watch = append(c.watch, func(ctx context.Context) {
			tokens.Watch(ctx, reloadInterval, func(err error) {
				s.insight.metrics.Reloaded("tokens", err)
				if err != nil {
					s.log.Error("tokens not reloaded, the old ones stay valid", "file", s.Tokens, "error", err)
					return
				}
				s.log.Info("tokens reloaded", "file", s.Tokens, "tokens", tokens.Len())
			})
		})
	}
	if s.JWTIssuer != "" {
		options := access.JWTOptions{
			Issuer: s.JWTIssuer, Audience: s.JWTAudience, KeysURL: s.JWKSURL, KeysFile: s.JWKSFile,
			Algorithms: s.JWTAlgorithms, MaxAge: s.JWKSMaxAge,
			Refreshed: func(keys int, err error) {
				s.insight.metrics.Reloaded("keys", err)
				if err != nil {
					s.log.Error("cannot refresh the keys for JWTs, so the old ones are used", "error", err)
					return
				}
				s.log.Info("keys for JWTs refreshed", "keys", keys)
			},
		}
		if s.traces != nil {
			options.Transport = s.traces
		}
		jwts, err := access.OpenJWTs(ctx, options)
		if err != nil {
			return nil, configErrorf("accepting JWTs: %w", err)
		}
		c.authorities = append(c.authorities, jwts)
		c.watch = append(c.watch, func(ctx context.Context) { jwts.Watch(ctx, reloadInterval) })
	}
	if c.authorities == nil {
		return nil, nil //nolint:nilnil // open to all
	}
	return c, nil
}
