package schema

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"sync"

	"brokerage/api"
)

var (
	account     = message("custacc-messages.xsd", "Account")
	trade       = message("custacc-messages.xsd", "Trade")
	price       = message("security-messages.xsd", "Price")
	orderStatus = message("order-messages.xsd", "OrderStatus")
)

// Account validates the body of open_account: root Account, in the namespace of customers.
func Account() *Validator { return account() }

// Trade validates the body of buy_security and sell_security: root Trade, in the namespace of customers.
func Trade() *Validator { return trade() }

// Price validates the body of update_security_price: root Price, in the namespace of securities.
func Price() *Validator { return price() }

// OrderStatus validates the body of update_order_status: root OrderStatus, in FIXML's namespace.
func OrderStatus() *Validator { return orderStatus() }

// CompileFile makes a Validator of a schema file of package api, whatever it includes. It compiles at each call: the
// service keeps what it needs above, and everything else that the contract describes is for tests to hold it to.
func CompileFile(file, root string) (*Validator, error) {
	source, err := complete(api.Schemas, "schema/"+file)
	if err != nil {
		return nil, err
	}
	return Compile(file, source, root)
}

// message defers compiling to the first use, as embedded does.
func message(file, root string) func() *Validator {
	return sync.OnceValue(func() *Validator {
		v, err := CompileFile(file, root)
		if err != nil {
			panic(fmt.Sprintf("schema: %v", err))
		}
		return v
	})
}

var (
	include   = regexp.MustCompile(`<xs:include schemaLocation="([^"]+)"/>`)
	schemaTag = regexp.MustCompile(`<xs:schema\s[^>]*>`)
)

// complete reads a schema file and puts what it includes in the place of the xs:include, for Compile takes one source,
// and explains findings by what stands in it. That is what an include means where both files begin alike: in the same
// namespace, with the same prefixes and defaults. Where they do not it is an error.
func complete(files fs.FS, file string) ([]byte, error) {
	source, err := fs.ReadFile(files, file)
	if err != nil {
		return nil, err
	}
	at := include.FindSubmatchIndex(source)
	if at == nil {
		return source, nil
	}
	name := path.Join(path.Dir(file), string(source[at[2]:at[3]]))
	included, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", file, err)
	}
	if include.Match(included) || include.Match(source[at[1]:]) {
		return nil, fmt.Errorf("schema %s: one include is all that is understood", file)
	}
	head := schemaTag.FindIndex(included)
	end := bytes.LastIndex(included, []byte("</xs:schema>"))
	if len(head) == 0 || end < head[1] || !bytes.Equal(schemaTag.Find(source), included[head[0]:head[1]]) {
		return nil, fmt.Errorf("schema %s includes %s, which does not begin as it does", file, name)
	}
	return slices.Concat(source[:at[0]], included[head[1]:end], source[at[1]:]), nil
}
