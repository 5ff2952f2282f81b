package main

import (
	"context"
	"log/slog"
	"time"

	"brokerage/internal/access"
)

// gatekeeper is who knows clients: tokens of a file, JWTs of an issuer, or both.
type gatekeeper struct {
	tokens *access.Tokens // nil: none
	jwts   *access.JWTs   // nil: none
	file   string
}

// gatekeeper reads what is needed to know clients; nil if the service is open to all.
func (c *serveCmd) gatekeeper(ctx context.Context, log *slog.Logger, traces traces) (g *gatekeeper, err error) {
	g = &gatekeeper{file: c.Tokens}
	if c.Tokens != "" {
		if g.tokens, err = access.Load(c.Tokens); err != nil {
			return nil, err
		}
		if g.tokens.Len() == 0 {
			log.Warn("there is no token, so nobody may do anything", "file", c.Tokens)
		}
	}
	if c.JWTIssuer != "" {
		if g.jwts, err = access.OpenJWTs(ctx, access.JWTOptions{
			Issuer: c.JWTIssuer, Audience: c.JWTAudience, KeysURL: c.JWKSURL, KeysFile: c.JWKSFile,
			Algorithms: c.JWTAlgorithms, MaxAge: c.JWKSMaxAge, Told: tellKeys(log), Transport: traces.outgoing("fetch keys"),
		}); err != nil {
			return nil, usagef("--jwt-issuer: %w", err)
		}
	}
	if g.tokens == nil && g.jwts == nil {
		return nil, nil //nolint:nilnil // open to all
	}
	return g, nil
}

// authority is what the API asks.
func (g *gatekeeper) authority() access.Authority {
	var all access.Any
	if g.tokens != nil {
		all = append(all, g.tokens)
	}
	if g.jwts != nil {
		all = append(all, g.jwts)
	}
	return all
}

// lookEvery is how soon a change to a file counts.
const lookEvery = time.Second

// watch keeps what is known of clients fresh until ctx is done.
func (g *gatekeeper) watch(ctx context.Context, log *slog.Logger) {
	if g.tokens != nil {
		go g.tokens.Watch(ctx, lookEvery, func(err error) { tellReload(log, g.file, g.tokens.Len(), err) })
	}
	if g.jwts != nil {
		go g.jwts.Watch(ctx, lookEvery)
	}
}

func tellReload(log *slog.Logger, file string, n int, err error) {
	if err != nil {
		log.Error("tokens not reloaded, the old ones go on to count", "file", file, "error", err)
		return
	}
	log.Info("tokens reloaded", "file", file, "tokens", n)
}

func tellKeys(log *slog.Logger) func(int, error) {
	return func(keys int, err error) {
		if err != nil {
			log.Error("keys for JWTs not to be had, those that are there go on to count for a while", "error", err)
			return
		}
		log.Info("keys for JWTs", "keys", keys)
	}
}

// checkAccess refuses settings of access that do not go together.
func (c *serveCmd) checkAccess() error {
	jwts := c.JWTAudience != "" || c.JWKSURL != "" || c.JWKSFile != ""
	switch {
	case (c.Tokens != "" || c.JWTIssuer != "") && c.InsecureNoAuth:
		return usagef("--insecure-no-auth is for a service without --tokens and --jwt-issuer")
	case c.JWTIssuer == "" && jwts:
		return usagef("--jwt-audience, --jwks-url and --jwks-file are for a service with --jwt-issuer")
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return usagef("--tls-cert and --tls-key go together")
	case c.TLSClientCA != "" && c.TLSCert == "":
		return usagef("--tls-client-ca is for a service with --tls-cert")
	}
	return nil
}

// scheme is how the service is reached.
func (c *serveCmd) scheme() string {
	if c.TLSCert != "" {
		return "https"
	}
	return "http"
}
