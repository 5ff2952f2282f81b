package db2

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseURL(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(secret, []byte("from file\n"), 0o600))
	user := "HOSTNAME=h;PORT=50000;DATABASE=TPOX;PROTOCOL=TCPIP;UID=u;PWD="
	base := user + "p;"
	end := "ClientApplName=brokerage;QueryTimeout=30"
	for name, c := range map[string]struct {
		url      string
		variable string
		want     string
	}{
		"Plain":    {"db2://u:p@h/TPOX", "", base + end},
		"Variable": {"db2://u@h/TPOX", "v", user + "v;" + end},
		"File": {
			"db2://u@h/TPOX?password_file=" + secret, "v",
			user + "from file;" + end,
		},
		"Schema": {
			"db2://u:p%40%2F@h/TPOX?schema=tpox&statement_timeout=1m", "",
			user + "p@/;CurrentSchema=TPOX;ClientApplName=brokerage;QueryTimeout=60",
		},
		"TLS": {
			"db2://u:p@h/TPOX?tls=true&tls_ca=/ca.arm", "",
			"HOSTNAME=h;PORT=50001;DATABASE=TPOX;PROTOCOL=TCPIP;UID=u;PWD=p;" +
				"SSLServerCertificate=/ca.arm;Security=SSL;SSLClientHostnameValidation=Basic;" + end,
		},
		"TLSOtherName": {
			"db2://u:p@h:50000/TPOX?tls=true&SSLClientHostnameValidation=OFF&TLSVersion=TLSV13", "",
			base + "SSLClientHostnameValidation=OFF;TLSVersion=TLSV13;Security=SSL;" + end,
		},
		"Keywords": {
			"db2://u:p@h/TPOX?Authentication=SERVER_ENCRYPT&Interrupt=2&ReceiveTimeout=90&application=a&client_user=c", "",
			base + "Authentication=SERVER_ENCRYPT;Interrupt=2;ClientApplName=a;ClientUserID=c;ReceiveTimeout=90;QueryTimeout=30",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(PasswordVariable, c.variable)
			got, err := parseURL(c.url)
			require.NoError(t, err)
			require.NoError(t, got.readPassword())
			require.Equal(t, c.want, got.dsn())
		})
	}
	got, err := parseURL("db2://u:p@h/TPOX?Authentication=SERVER_ENCRYPT&ReceiveTimeout=90&statement_timeout=1m")
	require.NoError(t, err)
	require.Equal(t, base+"Authentication=SERVER_ENCRYPT;ClientApplName=brokerage;QueryTimeout=0", got.adminDSN(),
		"administration has no limits")
	require.Equal(t, "SET CURRENT LOCK TIMEOUT = 5", got.settings.session())
}

func TestCheckURL(t *testing.T) {
	for _, url := range []string{
		"db2:", "db2://h/TPOX", "db2://u@/TPOX", "db2://u@h", "db2://u@h/a/b", "db2:u@h/TPOX", "postgres://u@h/TPOX",
		"db2://u@h/TPOX#x", "db2://u:secret;UID=root@h/TPOX", "db2://u:secret@h/TPOX?pool=0",
		"db2://u:secret@h/TPOX?pool=x", "db2://u:secret@h/TPOX?unheard=1", "db2://u:secret@h/TPOX?schema=a-b",
		"db2://u:secret@h/TPOX?schema=1", "db2://u:secret@h/TPOX?schema=", "db2://u:secret@h/TPOX?tls=perhaps",
		"db2://u:secret@h/TPOX?lock_timeout=1ms", "db2://u:secret@h/TPOX?lock_timeout=0s",
		"db2://u:secret@h/TPOX?pool=1&pool=2", "db2://u:secret@h/TPOX?setting=box",
		"db2://u:secret@h/TPOX?password_file=",
		"db2://u:secret@h/TPOX?application=a;UID=root", "db2://u:secret@h/TPOX?Authentication=CLIENT",
		"db2://u:secret@h/TPOX?TLSVersion=TLSv12", "db2://u:secret@h/TPOX?SSLClientHostnameValidation=basic",
		"db2://u:secret@h/TPOX?ReceiveTimeout=0", "db2://u:secret@h/TPOX?ReceiveTimeout=1m",
		"db2://u:secret@h/TPOX?QueryTimeout=1", "db2://u:secret@h/TPOX?PWD=x", "db2://u:secret@h/TPOX?EnableAcr=true",
	} {
		err := CheckURL(url)
		require.Error(t, err, url)
		require.NotContains(t, err.Error(), "secret")
		require.NotContains(t, Name(url), "secret")
	}
	require.NoError(t, CheckURL("db2://u@h/TPOX"))
	require.Equal(t, "db2://u@h:50000/TPOX", Name("db2://u:secret@h/TPOX?client_user=secret"))
}
