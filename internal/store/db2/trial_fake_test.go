package db2

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

// refusals are errors of each kind that the store distinguishes, and one that it does not know.
var refusals = map[int]string{
	-104: "42601", -206: "42703", -803: stateUnique, -964: "57011", -16196: stateInvalidDocument, codeInterrupted: "57014",
	codeRolledBack: "40001", codeLost: stateConnectionFailure, codeForced: "55032", -30108: "08506", -9999: "99999",
}

// Whatever a server answers to one statement, all others are tried too, and the page says what it answered.
func TestTrial_EachCode(t *testing.T) {
	all := everything(testSchema)
	const victim = "customer_max_order"
	for code, state := range refusals {
		tried := make(map[string]int)
		f := &fake{prepare: func(query string) error {
			tried[query]++
			if query == statements[victim] {
				return failure(code, state)
			}
			return nil
		}}
		var v trial
		v.each(askCompile, all, compile(t.Context(), alonePool(t, f)))
		for _, s := range all {
			require.Positive(t, tried[s.text], "%d: %s was not tried", code, s.name)
		}
		failed, n := v.failed(askCompile)
		require.Len(t, failed, 1, code)
		require.Equal(t, len(all), n)
		require.Equal(t, victim, failed[0].Name)
		require.Equal(t, code, failed[0].Code)
		require.Contains(t, v.page(), fmt.Sprintf("| SQLCODE %d, SQLSTATE %s: said the fake |", code, state))
		require.Regexp(t, `not confirmed\*\*: \d+ of \d+`, v.answer(askCompile))
		require.Equal(t, []question{askCompile}, v.unconfirmed())
	}
}

// A server that answers everything with the same error ends no step of the run, and nothing is confirmed.
func TestServer_Refusing(t *testing.T) {
	for code, state := range refusals {
		t.Run(fmt.Sprint(-code), func(t *testing.T) {
			refused := func() error { return failure(code, state) }
			f := &fake{
				prepare: func(string) error { return refused() },
				answer:  func(string, []driver.Value) (answer, error) { return answer{}, refused() },
			}
			v := &visit{schema: "S", settings: Options{Schema: "S", Setup: Tuned}}
			v.untried = make(map[question]string)
			v.data = dataset.New(dataset.Spec{Seed: 1})
			v.dial = func(t testing.TB, _ string) *sql.DB { return alonePool(t, f) }
			v.admin = v.dial(t, "")
			v.opened = func(ctx context.Context, s Options) (*Store, error) { return openConnectors(ctx, f, f, s) }
			for _, step := range v.steps() {
				if step.name == "Conformance" && code != codeRolledBack {
					continue // hundreds of cases
				}
				require.True(t, t.Run(step.name, step.run))
			}
			for _, q := range questions {
				if q.question == askTimeout && code == codeInterrupted {
					continue
				}
				require.NotContains(t, v.answer(q.question), "**confirmed**", q.question)
			}
			require.Contains(t, v.unconfirmed(), askCalls, "a store that does not open is an answer")
			require.Contains(t, v.page(), "not confirmed**: none of")
		})
	}
}

// The campaign is another program: it gets the password in its environment, and what it left is dropped, whatever
// became of it.
func TestServer_Campaign(t *testing.T) {
	const script = "#!/bin/sh\necho \"$@\" \"password=$" + PasswordVariable + "\"\nexit $CODE\n"
	program := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(program, []byte(script), 0o755))
	t.Setenv("DB2_PROGRAM", program)
	t.Setenv("DB2_CAMPAIGN", "--scale tiny")
	for code, says := range map[string]string{"0": "**confirmed**: 1 of 1", "3": "**not confirmed**: none of 1"} {
		t.Setenv("CODE", code)
		var dropped []string
		f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
			dropped = append(dropped, query)
			return answer{}, failure(-204, stateNoTable)
		}}
		u, err := url.Parse("db2://me:secret@localhost/TPOX?schema=S")
		require.NoError(t, err)
		v := &visit{url: u, schema: "S", folder: t.TempDir(), settings: Options{Schema: "S", Setup: Tuned}}
		v.admin = alonePool(t, f)
		require.True(t, t.Run(code, v.campaign))
		require.Equal(t, says, v.answer(askCampaign))
		require.Equal(t, "**confirmed**", v.answer(askDrop)[:len("**confirmed**")])
		require.Contains(t, dropped, "DROP TABLE S.custacc")
		require.Contains(t, dropped, "DROP TABLE S_TUNED.custacc")
		output := testenv.Text(t, filepath.Join(v.folder, "campaign.txt"))
		require.Regexp(t, `^campaign --db db2://me@localhost/TPOX\?schema=S --out \S+/campaign --preset smoke .*--scale tiny`+
			` password=secret`, output)
	}
}

// A server that ends is not asked a hundred times more.
func TestTrial_Gone(t *testing.T) {
	asked := 0
	f := &fake{answer: func(string, []driver.Value) (answer, error) {
		asked++
		return answer{}, lost
	}}
	var v trial
	v.each(askSchema, alone("box", (Options{Schema: "S", Setup: Box}).DDL()), run(t.Context(), alonePool(t, f)))
	require.Equal(t, 2*serverGone, asked, "each is tried twice")
	failed, _ := v.failed(askSchema)
	require.Len(t, failed, serverGone+1)
	require.Contains(t, failed[serverGone].Failure, "no longer answers")
}

// A schema that holds anything is refused, and one about which nothing can be found out.
func TestTrial_RefusesContent(t *testing.T) {
	f := &fake{}
	db := alonePool(t, f)
	for said, a := range map[string]answer{
		"":         {},
		"1 tables": {rows: [][]driver.Value{{"tables, views and aliases", int64(1)}}},
		"2 routines, 3 registered XML schemas": {
			rows: [][]driver.Value{{"routines   ", int64(2)}, {"registered XML schemas", int64(3)}},
		},
	} {
		f.answer = func(query string, args []driver.Value) (answer, error) {
			if query != holds {
				return answer{}, nil
			}
			require.Equal(t, []driver.Value{"TPOX", "TPOX", "TPOX", "TPOX"}, args)
			return a, nil
		}
		err := requireNothing(t.Context(), db, "TPOX")
		if said == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "the schema TPOX holds "+said)
	}
	// A table space of another schema would be dropped with its tables.
	f.answer = func(query string, _ []driver.Value) (answer, error) {
		if query == holds {
			return answer{}, nil
		}
		require.Contains(t, query, "'TPOX_TS'")
		return answer{rows: [][]driver.Value{{"TPOX_TS"}}}, nil
	}
	err := requireNothing(t.Context(), db, "TPOX", []string{"CREATE TABLESPACE tpox_ts PAGESIZE 16 K"})
	require.ErrorContains(t, err, "a table space or buffer pool TPOX_TS")
	f.answer = func(string, []driver.Value) (answer, error) { return answer{}, failure(-551, "42501") }
	require.ErrorContains(t, requireNothing(t.Context(), db, "TPOX"), "cannot find out")
}

func TestTrial_Keyword(t *testing.T) {
	parsed, err := parseURL("db2://me@localhost/TPOX?statement_timeout=9s", func(string) string { return "" })
	require.NoError(t, err)
	require.Contains(t, withKeyword(parsed, eager), "QueryTimeout=9")
	require.Contains(t, withKeyword(parsed, eager), ";DeferredPrepare=0")
	require.Contains(t, withKeyword(parsed, "QueryTimeout=2"), "QueryTimeout=2")
	require.NotContains(t, withKeyword(parsed, "QueryTimeout=2"), "QueryTimeout=9")
	require.Contains(t, withKeyword(parsed, ""), "QueryTimeout=9")
}

// What a script creates is dropped in the opposite order, and can be created plainly.
func TestTrial_Undo(t *testing.T) {
	for _, ddl := range scriptsOf("S") {
		all := strings.Join(undo("S", ddl), "\n")
		for _, text := range ddl {
			kind, name := createdBy(text)
			require.Equal(t, strings.HasPrefix(text, "CREATE "), kind != "", text)
			if kind != "" && kind != "INDEX" {
				require.Regexp(t, `(?m)^DROP `+kind+` (S\.)?`+name+`$`, all)
			}
		}
		require.Less(t, strings.Index(all, "INDEX S.custacc_id"), strings.Index(all, "TABLE S.custacc\n"))
		require.Less(t, strings.Index(all, "TABLE S.custacc\n"), strings.Index(all, "TABLESPACE"))
		require.Less(t, strings.LastIndex(all, "TABLESPACE"), strings.Index(all, "BUFFERPOOL"))
		plain := strings.Join(plainly(ddl), "\n")
		require.Contains(t, plain, "CREATE TABLE custacc (cadoc XML NOT NULL)\n")
		require.Contains(t, plain, "INSERT INTO leases")
		require.NotRegexp(t, `BUFFERPOOL|TABLESPACE|INLINE| IN tpox`, plain)
	}
}

// The page and the attempts say the same, and no attempt is lost.
func TestTrial_Page(t *testing.T) {
	v := trial{server: "DB2 v11.5.9.0", untried: map[question]string{askCampaign: "there is no program"}}
	v.note(askSchema, "box: CREATE TABLE settings", "CREATE TABLE settings …", nil)
	scan := []operator{{kind: "TBSCAN", object: "ORDERS"}}
	v.note(askPlans, "get_order", "", requirePlan(scan, expectedIndexes("get_order")))
	v.note(askCalls, "get_order", "", &ServerError{Code: -16999, State: "10599", Reason: 3, Message: "a | b\nc"})
	folder := filepath.Join(t.TempDir(), "evidence")
	require.NoError(t, v.write(folder))
	page := testenv.Text(t, filepath.Join(folder, "README.md"))
	for _, line := range []string{
		"Server: DB2 v11.5.9.0", "| " + string(askSchema) + " | **confirmed**: 1 of 1 |",
		"**not tried**: there is no program",
		"**not tried**: the run ended before it", "no XISCAN on ORDERS_ID; it scans ORDERS",
		`SQLCODE -16999, SQLSTATE 10599, reason 3: a \| b c |`,
	} {
		require.Contains(t, page, line)
	}
	var attempts []probe
	require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, filepath.Join(folder, "attempts.json"))), &attempts))
	require.Equal(t, v.attempts, attempts)
	require.Equal(t, []question{askPlans, askCalls}, v.unconfirmed())
}
