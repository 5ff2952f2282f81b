package postgres

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/tpox"
)

const partitioned = "&layout=partitioned&shards=4"

func TestLayout_URL(t *testing.T) {
	for query, says := range map[string]string{
		"layout=partitioned": "", "layout=partitioned&shards=1024": "", "layout=single": "", "layout=citus&shards=1": "",
		"layout=spread":                `layout "spread" in the URL is none of single, partitioned and citus`,
		"layout=citus&shards=0":        "shards=0 in the URL is not a number from 1 to 1024",
		"layout=citus&shards=many":     "shards=many in the URL is not a number from 1 to 1024",
		"layout=partitioned&shards=2k": "shards=2k in the URL is not a number from 1 to 1024",
		"shards=8":                     "shards in the URL are for layout=partitioned or citus",
		"layout=single&shards=8":       "shards in the URL are for layout=partitioned or citus",
		"mode=pure":                    "", "mode=keys&layout=citus": "", "mode=pure&layout=single": "",
		"mode=xml":                     `mode "xml" in the URL is neither keys nor pure`,
		"mode=pure&layout=partitioned": errPureSpread.Error(),
	} {
		err := CheckURL("postgres://h/d?" + query)
		if says == "" {
			require.NoError(t, err, query)
		} else {
			require.EqualError(t, err, says)
		}
	}
}

// What does not match is refused in one line, and nothing is changed.
func TestLayout_Refused(t *testing.T) {
	server := pgtest.Shared(t)
	empty := server.Database(t)
	_, err := Open(t.Context(), server.URL(empty)+"&layout=citus", Options{})
	require.ErrorContains(t, err, "the database has no extension citus: CREATE EXTENSION citus, on every node")
	conn := server.Connect(t, empty)
	require.False(t, value[bool](t, conn, "SELECT to_regnamespace('brokerage') IS NOT NULL"))

	_, url, d := fresh(t)
	_, err = Open(t.Context(), url+partitioned, Options{})
	require.ErrorContains(t, err, "the database has the layout single, and the URL asks for partitioned: brokerage backup")

	url = server.URL(server.Database(t))
	require.NoError(t, opened(t, url+partitioned, Options{}).LoadDataset(t.Context(), d, nil))
	_, err = Open(t.Context(), url+"&layout=single", Options{})
	require.ErrorContains(t, err, "the database has the layout partitioned, and the URL asks for single")
	s := opened(t, url, Options{}) // which finds the layout
	require.NoError(t, s.Ready(t.Context()))
	require.Equal(t, layoutPartitioned, s.layoutName)
}

// Successive connections try each host of the URL first, in turn.
func TestConfigureCluster(t *testing.T) {
	config, _, err := parseURL("postgres://u@a:1,b:2,c:3/d?layout=citus")
	require.NoError(t, err)
	configureCluster(config)
	var first []string
	for range 6 {
		c := config.ConnConfig.Copy()
		require.NoError(t, config.BeforeConnect(t.Context(), c))
		tried := []string{fmt.Sprint(c.Host, c.Port)}
		for _, f := range c.Fallbacks {
			tried = append(tried, fmt.Sprint(f.Host, f.Port))
		}
		require.Equal(t, tried[0], tried[1], "without TLS")
		require.ElementsMatch(t, strings.Fields("a1 a1 b2 b2 c3 c3"), tried)
		first = append(first, tried[0])
	}
	require.Equal(t, strings.Fields("a1 b2 c3 a1 b2 c3"), first)
	require.Equal(t, "force_custom_plan", config.ConnConfig.RuntimeParams["plan_cache_mode"])
	require.NotContains(t, config.ConnConfig.RuntimeParams, "layout")
}

// The greatest order of a customer with many accounts is the same on one server and spread, where the statement depends
// on their number.
func TestCustomerMaxOrder_ManyAccounts(t *testing.T) {
	d := generator(t, "tiny")
	var stores []*Store
	for _, layout := range []string{"", partitioned} {
		stores = append(stores, opened(t, loaded(t, d, layout)+layout, Options{}))
	}
	greatest := regexp.MustCompile(`CUSTOMERID="\d+" ORDER_ID="\d+" CASH="[\d.]+"`)
	id, account := int64(900_000), int64(900_000_000)
	for _, n := range []int64{fewAccounts, fewAccounts + 1} {
		id++
		var accounts []int64
		for range n {
			account++
			accounts = append(accounts, account)
		}
		var answers []string
		for _, s := range stores {
			insertCustomer(t, s, customer(d, id, accounts...), true)
			for i, account := range accounts {
				doc := d.AppendNewOrder(nil, int64(i), dataset.NewOrder{ID: 100*id + int64(i), Account: account})
				insertOrder(t, s, doc)
			}
			answer, err := s.CustomerMaxOrder(t.Context(), tpox.ID(id))
			require.NoError(t, err)
			answers = append(answers, greatest.FindString(string(answer)))
		}
		require.NotEmpty(t, answers[0])
		require.Equal(t, answers[0], answers[1])
	}
}

// A backup of one server is restored into partitions: documents, look-ups, and answers by idempotency key.
func TestRestore_OtherLayout(t *testing.T) {
	s, d, server, _ := tiny(t)
	w := once()
	_, err := s.InsertOrder(t.Context(), w, order(d, 900))
	require.NoError(t, err)
	insertOrder(t, s, []byte(`<FIXML xmlns="http://www.fixprotocol.org/FIXML-4-4"><Order ID="1" Acct="2" Txt="\.">`+
		"\\N \\. tab\there\n\\.\n株</Order></FIXML>"))
	file := backedUpTo(t, s)

	other := opened(t, server.URL(server.Database(t))+partitioned, Options{})
	require.NoError(t, errOf(other.Restore(t.Context(), file, false, nil)))
	require.NoError(t, other.Ready(t.Context()))
	findings := verified(t, other)
	require.Equal(t, verified(t, s), findings)
	for _, table := range tableNames {
		const sum = "SELECT concat(count(*), ' ', sum(hashtextextended(doc::text, 0))) FROM brokerage."
		require.Equal(t, value[string](t, s.pool, sum+table), value[string](t, other.pool, sum+table), table)
	}
	_, err = other.InsertOrder(t.Context(), w, order(d, 900))
	require.NoError(t, err, "the key is known")

	// A spread backup is restored into a spread database only.
	again := backedUpTo(t, other)
	err = errOf(s.Restore(t.Context(), again, true, nil))
	require.ErrorContains(t, err, "is of a database with the layout partitioned, and this one has the layout single")
	third := opened(t, server.URL(server.Database(t))+"&layout=partitioned&shards=3", Options{})
	require.NoError(t, errOf(third.Restore(t.Context(), again, false, nil)))
	require.Equal(t, findings, verified(t, third))
}

// Verify finds each kind of look-up that does not agree with the documents.
func TestVerify_Spread(t *testing.T) {
	d := generator(t, "tiny")
	s := opened(t, loaded(t, d, partitioned)+partitioned, Options{})
	require.Empty(t, verified(t, s))
	first, owner := d.FirstAccount(0), d.ID(dataset.Customer, 0)
	for sql, finding := range map[string]string{
		fmt.Sprintf("UPDATE brokerage.account_homes SET customer = NULL WHERE account = %d", first): fmt.Sprintf(
			"customer %d: account %d is in the document, but does not belong to it", owner, first),
		"INSERT INTO brokerage.account_homes VALUES (5, 6, 6)": "account 5: belongs to customer 6, whose document",
		"INSERT INTO brokerage.order_homes VALUES (7, 8)":      "order 7: there is none at home 8, where it should be",
		fmt.Sprintf("DELETE FROM brokerage.order_homes WHERE id = %d", orderID(d, 0)): fmt.Sprintf(
			"order %d: is at home ", orderID(d, 0)),
		fmt.Sprintf("UPDATE brokerage.customers SET elsewhere = '{%d}' WHERE customer = %d", first, owner): fmt.Sprintf(
			"customer %d: account %d is not correctly noted as having its orders elsewhere", owner, first),
		fmt.Sprintf("UPDATE brokerage.account_homes SET home = 9 WHERE account = %d", first): "and not at 9, the home",
		"UPDATE brokerage.security_search SET pe = 7 WHERE symbol = '" + d.Symbol(0) + "'": fmt.Sprintf(
			"security %s: a search does not find it", d.Symbol(0)),
	} {
		tx, err := s.pool.Begin(t.Context())
		require.NoError(t, err)
		require.NoError(t, errOf(tx.Exec(t.Context(), sql)))
		var found []string
		for _, check := range s.schema.checks {
			rows, _ := tx.Query(t.Context(), check)
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
			found = append(found, lines...)
		}
		require.NoError(t, tx.Rollback(t.Context()))
		require.Contains(t, strings.Join(found, "\n"), finding, sql)
	}
}

// Statistics are collected for the tables of every layout.
func TestAdmin_Analyze(t *testing.T) {
	d := generator(t, "tiny")
	for _, layout := range []string{"", partitioned} {
		url := loaded(t, d, layout) + layout
		s := opened(t, url, Options{})
		require.NoError(t, s.DeleteOrder(t.Context(), now(), orderID(d, 0)))
		a, err := Administer(t.Context(), url)
		require.NoError(t, err)
		require.NoError(t, a.Analyze(t.Context()))
		require.NoError(t, a.Close())
		all, err := s.estimate(t.Context())
		require.NoError(t, err)
		for _, k := range dataset.Kinds {
			documents := d.Count(k)
			if k == dataset.Order {
				documents--
			}
			require.Equal(t, documents, all[k].Documents, "%s%s", k, layout)
			require.NotZero(t, all[k].Stored)
		}
	}
}

// Expired answers are deleted in each slot by itself.
func TestPurge_Slots(t *testing.T) {
	server := pgtest.Shared(t)
	s := opened(t, server.URL(server.Database(t))+partitioned, Options{})
	d := generator(t, "tiny")
	keys := make(map[int]string)
	for i := 0; len(keys) < 3; i++ {
		key := fmt.Sprint("k", i)
		keys[s.slot(&tpox.Once{Client: "c", Key: key})] = key
	}
	begin := time.Now()
	id := int64(0)
	write := func(now time.Time, key string) {
		id++
		w := tpox.Write{Now: now, Once: &tpox.Once{Client: "c", Key: key, Expires: now.Add(time.Minute)}}
		require.NoError(t, errOf(s.InsertOrder(t.Context(), w, order(d, id))))
	}
	for _, key := range keys {
		write(begin, key)
	}
	for slot, key := range keys {
		write(begin.Add(2*time.Minute), key) // the same key, whose answer has expired
		require.Equal(t, 1, value[int](t, s.pool, "SELECT count(*) FROM brokerage.answers WHERE slot = $1", slot))
	}
	for slot := range keys {
		require.NoError(t, errOf(s.pool.Exec(t.Context(),
			`INSERT INTO brokerage.answers VALUES ($1, 'x', 'y', 'h', 'a', now() - interval '1 hour')`, slot)))
	}
	for slot, key := range keys {
		write(begin.Add(time.Hour), key)
		require.Equal(t, 1, value[int](t, s.pool, "SELECT count(*) FROM brokerage.answers WHERE slot = $1", slot))
	}
}
