package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

// databaseTLS returns the variables of deploy/k8s/overlays/external, for an authority in another file.
func databaseTLS(t testing.TB, ca string) (variables []string) {
	t.Helper()
	text := testenv.Text(t, "../../deploy/k8s/overlays/external/database/tls.yaml")
	var operations []struct {
		Path  string
		Value struct{ Name, Value string }
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &operations))
	for _, o := range operations {
		if strings.HasSuffix(o.Path, "/env/-") {
			variables = append(variables, o.Value.Name+"="+
				strings.Replace(o.Value.Value, "/etc/brokerage/database-ca/ca.crt", ca, 1))
		}
	}
	require.Contains(t, variables, "PGSSLROOTCERT="+ca)
	return variables
}

// With these variables, only a server whose certificate is for the host of the URL and of this authority is used.
func TestPostgres_VerifiesServer(t *testing.T) {
	t.Parallel()
	_, port, found := strings.Cut(freeAddress(t), ":")
	require.True(t, found)
	server := pgtest.Start(t, "listen_addresses=127.0.0.1", "port="+port)
	ca := newAuthority(t)
	right := testenv.File(t, "ca.crt", string(ca.pem))
	other := testenv.File(t, "other.crt", string(newAuthority(t).pem))
	migrate := func(ca, host string) (code int, errs string) {
		cmd := process(t, "migrate", "--db", "postgres://"+pgtest.User+"@"+host+":"+port+"/postgres")
		cmd.Env = append(os.Environ(), databaseTLS(t, ca)...)
		var said bytes.Buffer
		cmd.Stderr = &said
		_ = cmd.Run() // the exit code is checked
		return cmd.ProcessState.ExitCode(), said.String()
	}
	code, errs := migrate(right, "127.0.0.1")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "server refused TLS connection")

	cert, key := ca.issue(t, 1)
	server.UseTLS(t, cert, key)
	for name, c := range map[string]struct{ ca, host, says string }{
		"OtherName":      {right, "localhost", "not valid for any names, but wanted to match localhost"},
		"OtherAuthority": {other, "127.0.0.1", "certificate signed by unknown authority"},
	} {
		code, errs := migrate(c.ca, c.host)
		require.Equal(t, exitFailed, code, name)
		require.Contains(t, errs, c.says, name)
	}
	code, errs = migrate(right, "127.0.0.1")
	require.Equal(t, exitOK, code, errs)
}
