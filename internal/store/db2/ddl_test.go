package db2

import (
	"database/sql/driver"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
)

// createsStorage finds the names of buffer pools and table spaces that a statement creates.
var createsStorage = regexp.MustCompile(`^CREATE (?:(?:LARGE|SYSTEM TEMPORARY) )?(BUFFERPOOL|TABLESPACE) (\S+)`)

// storageNames returns the names of what a schema has outside of it, with their kinds.
func storageNames(s Options) (names []string) {
	for _, text := range s.DDL() {
		if m := createsStorage.FindStringSubmatch(text); m != nil {
			names = append(names, m[1]+" "+m[2])
		}
	}
	return names
}

// Buffer pools and table spaces belong to the database: those of two schemas have different names, which Db2 accepts.
func TestStorage_Names(t *testing.T) {
	taken := make(map[string]string)
	for _, schema := range []string{
		"TPOX", "TPOX_TUNED", "TPOX_UNCOMPRESSED", "TPOX_OUT_OF_LINE", "TPOX_FEW_INDEXES", "TPOX_MANY_INDEXES",
		"BROKERAGE_TEST", "A", "_A", "DB-USER", strings.Repeat("LONG", 32), strings.Repeat("LONG", 31) + "LONE",
	} {
		for _, setting := range []Setup{Box, Tuned} {
			for _, temporary := range []bool{false, true} {
				names := storageNames(Options{Schema: schema, Setup: setting, Tuning: Tuning{Temporary: temporary}})
				require.NotEmpty(t, names)
				require.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names))
				for _, name := range names {
					require.Regexp(t, `^(BUFFERPOOL|TABLESPACE) [A-Z][A-Z0-9_]{1,17}$`, name)
					if other, is := taken[name]; is {
						require.Equal(t, schema, other, name)
					}
					taken[name] = schema
				}
			}
		}
	}
}

// Tables lie in table spaces that exist, and these in buffer pools of their page size.
func TestStorage_IsThere(t *testing.T) {
	for _, setting := range []Setup{Box, Tuned} {
		s := Options{Schema: "TPOX", Setup: setting, Tuning: Tuning{Temporary: true}}
		names := storageNames(s)
		pages := make(map[string]string)
		for _, text := range s.DDL() {
			size := regexp.MustCompile(`PAGESIZE \d+ K`).FindString(text)
			if m := createsStorage.FindStringSubmatch(text); len(m) > 2 && m[1] == "BUFFERPOOL" {
				pages[m[2]] = size
			}
			for _, m := range regexp.MustCompile(` BUFFERPOOL (\S+)`).FindAllStringSubmatch(text, -1) {
				if !strings.HasPrefix(text, "CREATE BUFFERPOOL") {
					require.Equal(t, pages[m[1]], size, text)
				}
			}
			for _, m := range regexp.MustCompile(`(?: IN|INDEX IN|LONG IN) (TPOX\S+)`).FindAllStringSubmatch(text, -1) {
				require.Contains(t, names, "TABLESPACE "+m[1], text)
			}
		}
	}
}

// makesSchema opens a store on a database without a schema, which refuses what a test says.
func makesSchema(t testing.TB, settings Options, refuse func(query string) error) (*fake, []string, error) {
	t.Helper()
	stamp := make(map[driver.Value]driver.Value)
	f := &fake{answer: func(query string, args []driver.Value) (answer, error) {
		switch {
		case query == statements["insert_setting"]:
			stamp[args[0]] = args[1]
		case query == statements["get_setting"] && len(stamp) > 0:
			return answer{rows: [][]driver.Value{{stamp[args[0]]}}}, nil
		case query == statements["get_setting"]:
			return answer{}, failure(-204, stateNoTable)
		}
		return answer{}, refuse(query)
	}}
	var notices []string
	settings.Notice = func(text string) { notices = append(notices, text) }
	s, err := openConnectors(t.Context(), f, f, settings)
	if err == nil {
		require.True(t, s.Made())
		require.Regexp(t, `^[0-9a-f]{32}$`, s.stamp.Identity)
		require.NoError(t, s.Close())
	}
	return f, notices, err
}

func nothing(string) error { return nil }

// Each buffer pool and table space is committed before the transaction that uses it.
func TestSchema_StorageFirst(t *testing.T) {
	tuning := Tuning{StoragePaths: []string{"/a", "/b"}, Temporary: true}
	for _, setting := range []Setup{Box, Tuned} {
		settings := Options{Schema: "TPOX", Setup: setting, Tuning: tuning}
		f, _, err := makesSchema(t, settings, nothing)
		require.NoError(t, err)
		begin := slices.Index(f.calls, "BEGIN")
		for _, text := range withoutComments(settings.storage()) {
			require.Contains(t, f.calls[:begin], text, "committed alone")
			require.NotContains(t, f.calls[begin:], text)
		}
		require.Contains(t, strings.Join(f.calls[begin:], "\n"), "CREATE TABLE custacc")
		require.Contains(t, f.calls[begin:], "COMMIT")
	}
}

// An attempt that ended anywhere is continued by the next, and so is one beside a schema with the same storage.
func TestSchema_Again(t *testing.T) {
	settings := Options{Schema: "TPOX", Setup: Tuned, Tuning: Tuning{StoragePaths: []string{"/a"}, Temporary: true}}
	exists := func(query string) error {
		switch {
		case createsStorage.MatchString(query), strings.HasPrefix(query, "CREATE TABLE settings"):
			return failure(-601, stateExists)
		case strings.HasPrefix(query, "ALTER STOGROUP"):
			return failure(codePathExists, "42748")
		}
		return nil
	}
	f, notices, err := makesSchema(t, settings, exists)
	require.NoError(t, err)
	require.Contains(t, f.calls, "COMMIT")
	require.Contains(t, f.said(), "insert_setting")
	require.Len(t, notices, 1, "only that the logs change at the next activation")

	// In the transaction a table that exists is an error: nothing is known of what it holds.
	_, _, err = makesSchema(t, settings, func(query string) error {
		if strings.HasPrefix(query, "CREATE TABLE custacc") {
			return failure(-601, stateExists)
		}
		return nil
	})
	require.ErrorContains(t, err, "CREATE TABLE custacc")
	_, _, err = makesSchema(t, settings, func(query string) error {
		if strings.HasPrefix(query, "CREATE TABLESPACE") {
			return failure(-552, stateNoAuthority)
		}
		return nil
	})
	require.ErrorContains(t, err, "CREATE TABLESPACE")
}

// Every tuning of the studies is printed with its source, and only if it is asked for.
func TestScript_Tuning(t *testing.T) {
	for name, c := range map[string]struct{ query, text, source string }{
		"PoolMemory": {
			"pool_memory=12GiB", "CREATE BUFFERPOOL TPOX_ORD IMMEDIATE SIZE 353894 AUTOMATIC PAGESIZE 16 K;", "Study of 2008",
		},
		"Temporary": {
			"temporary=true", "CREATE SYSTEM TEMPORARY TABLESPACE TPOX_TEMP PAGESIZE 32 K", "Study of 2008",
		},
		"StoragePaths": {
			"storage_paths=/data/1,/data/2", "ALTER STOGROUP IBMSTOGROUP ADD '/data/2';", "Study of 2008",
		},
		"LogPath": {"log_path=/db2log", "NEWLOGPATH /db2log');", "Study of 2008"},
		"Autoconfigure": {
			"setting=box&autoconfigure=80&pool=200", "AUTOCONFIGURE USING mem_percent 80 workload_type simple num_stmts 1 " +
				"tpm 200000 num_local_apps 0 num_remote_apps 200 isolation CS", "study of 2008",
		},
		"Sample": {"statistics_sample=10", "SAMPLED DETAILED INDEXES ALL TABLESAMPLE SYSTEM (10)')", "study of 2006"},
		"Dictionary": {
			"dictionary=true", `-- CALL SYSPROC.ADMIN_CMD('REORG TABLE "TPOX"."ORDERS" LONGLOBDATA RESETDICTIONARY')`,
			"Study of 2008",
		},
		"Settle":  {"settle=30m", "-- SELECT CAST(bp_name AS VARCHAR(128)), CAST(SUM(bp_cur_buffsz)", "Study of 2009"},
		"Indexes": {"design=many_indexes", "CREATE INDEX more_custacc_email", "Study of 2006"},
	} {
		t.Run(name, func(t *testing.T) {
			script, err := Script("db2://u:secret@h/D?schema=tpox&" + c.query)
			require.NoError(t, err)
			require.Contains(t, script, c.text)
			require.Contains(t, script, c.source)
			require.NotContains(t, script, "$")
			require.NotContains(t, script, "secret")
			for _, setting := range []Setup{Box, Tuned} {
				without, err := Script("db2://u@h/D?schema=tpox&setting=" + string(setting))
				require.NoError(t, err)
				require.NotContains(t, without, c.text)
			}
		})
	}
}

// What an administrator is to run is whole: in the schema of the service's user, in an order that can be run, with the
// right to validate.
func TestScript(t *testing.T) {
	for _, url := range []string{"db2://tpox@h/D", "db2://u@h/D?schema=tpox", "db2://tpox@h/D?setting=box"} {
		script, err := Script(url)
		require.NoError(t, err)
		list := split(script)
		require.Equal(t, "SET CURRENT SCHEMA = 'TPOX'", list[0])
		s := Options{Schema: "TPOX", Setup: Tuned}
		if strings.Contains(url, "box") {
			s.Setup = Box
		}
		ddl := s.DDL()
		require.Equal(t, ddl, list[1:1+len(ddl)])
		rest := list[1+len(ddl):]
		for i, x := range Schemas {
			register := fmt.Sprintf("REGISTER XMLSCHEMA '%s' FROM 'api/schema/%s' AS TPOX.%s COMPLETE", x.File, x.File, x.Name)
			require.Equal(t, register, rest[i])
			require.Equal(t, "GRANT USAGE ON XSROBJECT TPOX."+x.Name+" TO PUBLIC", rest[len(Schemas)+i])
		}
		require.Contains(t, rest[2*len(Schemas)], "INSERT INTO settings (name, value) VALUES ('database.identity', '")
		require.Contains(t, rest[2*len(Schemas)+1], "INSERT INTO settings (name, value) VALUES ('schema.version', '1')")
		require.Equal(t, withoutComments(s.configuration()), rest[2*len(Schemas)+2:])
	}
}

func TestParseURL_Tuning(t *testing.T) {
	none := func(string) string { return "" }
	for _, query := range []string{
		"pool_memory=0GiB", "pool_memory=12", "pool_memory=-1MiB", "pool_memory=9223372036854775807GiB", "autoconfigure=0",
		"autoconfigure=101", "statistics_sample=x", "log_path=logs", "log_path=/a,/b", "log_path=/a'b", "storage_paths=/a,",
		"storage_paths=/a%20b", "settle=soon", "temporary=2",
	} {
		_, err := parseURL("db2://u@h/d?"+query, none)
		require.Error(t, err, query)
	}
	parsed, err := parseURL("db2://u@h/d?pool_memory=512MiB&settle=30m&storage_paths=/a,/b/c", none)
	require.NoError(t, err)
	want := Tuning{PoolMemory: 512 << 20, Settle: 30 * time.Minute, StoragePaths: []string{"/a", "/b/c"}}
	require.Equal(t, want, parsed.settings.Tuning)
}

// Another version is refused with a sentence.
func TestOpen_OtherVersion(t *testing.T) {
	for name, c := range map[string]struct{ version, identity, says string }{
		"Newer":      {"7", "x", "schema version 7 is newer than this program supports (1); use a newer release"},
		"Unreleased": {"1", "", "its schema was made by an unreleased version of this program; load it into a new database"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{answer: func(query string, args []driver.Value) (answer, error) {
				switch {
				case query != statements["get_setting"] || args[0] == store.SettingIdentity && c.identity == "":
					return answer{}, nil
				case args[0] == store.SettingIdentity:
					return answer{rows: [][]driver.Value{{[]byte(c.identity)}}}, nil
				}
				return answer{rows: [][]driver.Value{{[]byte(c.version)}}}, nil
			}}
			_, err := openConnectors(t.Context(), f, f, Options{})
			require.EqualError(t, err, c.says)
		})
	}
}
