package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// A database of version 2 has what the first OrdQty with a cash says, and the first
// Price with a part: verify would call it wrong, and PostgreSQL never had it.
func TestMigrate_FirstParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "brokerage.db")
	d := generator(t, "tiny")
	s := opened(t, path, Options{})
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	account := d.FirstAccount(0)
	orders := []string{
		`<OrdQty Qty="1"></OrdQty><OrdQty Cash="9999999999"></OrdQty>`,
		`<OrdQty Cash="8888888888"></OrdQty><OrdQty Cash="1"></OrdQty>`,
	}
	for i, parts := range orders {
		doc := fmt.Sprintf(
			`<FIXML xmlns=%q><Order ID="%d" Acct="%d">%s</Order></FIXML>`, brokerage.FIXMLNS, i+1, account, parts,
		)
		_, err := s.InsertOrder(t.Context(), now(), []byte(doc))
		require.NoError(t, err)
	}
	symbol := d.Symbol(3)
	security := strings.Replace(string(d.Append(nil, dataset.Security, 3)), "<Price>", `<Price></Price><Price>`, 1)
	require.NoError(t, s.ReplaceSecurity(t.Context(), now(), symbol, []byte(security), false, nil))
	price, err := s.SecurityPrice(t.Context(), symbol)
	require.NoError(t, err)
	require.NotContains(t, string(price), "LastTrade")
	require.NoError(t, s.Close())

	cash, ok := brokerage.SortKey("9999999999")
	require.True(t, ok)
	db, err := OpenFile(path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `UPDATE orders SET cash = ? WHERE id = 1;
		UPDATE securities SET last_trade = '7', price = ? WHERE symbol = ?;
		PRAGMA user_version = 2`,
		cash, []byte("<Security_Price></Security_Price>"), symbol)
	require.NoError(t, err)
	require.NoError(t, db.Close())

	s = opened(t, path, Options{})
	_, err = s.Verify(t.Context(), func(finding string) error {
		require.Contains(t, finding, "the document is not valid", "nor was it meant to be")
		return nil
	}, func(int64) {})
	require.NoError(t, err)
	largest, err := s.CustomerMaxOrder(t.Context(), brokerage.ID(d.ID(dataset.Customer, 0)))
	require.NoError(t, err)
	require.Contains(t, string(largest), `ORDER_ID="2" CASH="8888888888"`)
	again, err := s.SecurityPrice(t.Context(), symbol)
	require.NoError(t, err)
	require.Equal(t, string(price), string(again))
}
