package db2

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"brokerage/internal/tpox"
)

// faithful declares that each transaction is SQL/XML and XQuery on the document; the service edits no document.
var faithful = tpox.FidelityBy(func(*tpox.Transaction) tpox.Fidelity { return tpox.InDatabase })

// inspect reads the server's version and settings, and refuses a database that the store cannot work with. What the
// user may not read is left out, with a notice.
func (s *Store) inspect(ctx context.Context) (is tpox.EngineInfo, err error) {
	// Db2 flushes its log at each commit, and no setting turns that off.
	// XMLVALIDATE strips ignorable white space.
	is = tpox.EngineInfo{
		Name: "db2", Version: "unknown", Durability: tpox.Durable, StripsSpace: true, Faithful: faithful,
	}
	_, err = row(ctx, s.db, "server_version", nil, []any{&is.Version})
	err = s.unlessDenied(err, "SYSIBMADM.ENV_INST_INFO", "results will not have the version of the server")
	if err != nil {
		return is, fmt.Errorf("connecting: %w", err)
	}
	err = eachRow(ctx, s.db, statements["server_settings"], nil, func(rows *sql.Rows) error {
		var name string
		var value sql.NullString
		if err := rows.Scan(&name, &value); err != nil {
			return err
		}
		if name == "codeset" && !strings.EqualFold(value.String, "UTF-8") {
			return fmt.Errorf("the database has codeset %s, but documents need UTF-8: "+
				"create it by CREATE DATABASE … USING CODESET UTF-8", value.String)
		}
		is.Settings = append(is.Settings, tpox.Setting{Name: name, Value: value.String})
		return nil
	})
	return is, s.unlessDenied(err, "SYSIBMADM.DBCFG",
		"results will not have the settings of the server, and the codeset of the database is not verified")
}

// unlessDenied returns err, or nil if the user may not read a view: then a notice says what is lost.
func (s *Store) unlessDenied(err error, view, lost string) error {
	if state := serverErrorOf(err).State; state != stateNoPrivilege && state != stateNoAuthority {
		return err
	}
	s.notice("%s (GRANT SELECT ON %s): %v", lost, view, err)
	return nil
}

// checkCollation warns of a database that does not order texts by their bytes.
func (s *Store) checkCollation(ctx context.Context) error {
	var name string
	_, err := row(ctx, s.db, "collation", nil, []any{&name})
	switch name = strings.TrimSpace(name); {
	case isTransient(err):
		return err
	case err != nil:
		s.notice("the collation of the database is not verified: %v", err)
	case name != "IDENTITY":
		s.notice("the database has collation %q: searches order symbols by it, and not by code point as with IDENTITY", name)
	}
	return nil
}
