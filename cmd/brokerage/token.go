package main

import (
	"fmt"

	"brokerage/internal/access"
)

//nolint:lll // a help text is one string
type tokenCmd struct {
	Name  string     `required:"" placeholder:"NAME" help:"Name of the client in logs: up to 64 letters, digits, '.', '_', '-' and '@'."`
	Scope scopesFlag `required:"" placeholder:"SCOPE,…" help:"What the client may do: read, trade (writes and leases) or admin (replace whole documents), separated by commas. No scope includes another."`
	File  string     `placeholder:"FILE" help:"File to add the token's hash to, for serve --tokens; created if it does not exist. Default: none; the line to add is printed to standard error."`
}

type scopesFlag struct{ scopes []access.Scope }

// UnmarshalText reads a list that is separated by commas.
func (f *scopesFlag) UnmarshalText(text []byte) (err error) {
	f.scopes, err = access.ParseScopes(string(text))
	return err
}

// Run prints the token to standard output. Only its hash is stored, in --file, or printed to standard error.
func (c *tokenCmd) Run(s streams) error {
	client := access.Client{Name: c.Name, Scopes: c.Scope.scopes}
	if err := access.CheckName(c.Name); err != nil {
		return usagef("--name: %w", err)
	}
	token, err := c.make(s, client)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, token)
	return err
}

func (c *tokenCmd) make(s streams, client access.Client) (token string, err error) {
	if c.File != "" {
		return access.Add(c.File, client)
	}
	token, line := access.NewToken(client)
	_, err = fmt.Fprintln(s.err, line)
	return token, err
}
