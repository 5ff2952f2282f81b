// Fetch downloads IBM's client library into the user's cache, unless
// IBM_DB_HOME names one, and prints the environment to build with, for a
// shell's eval:
//
//	eval "$(go run -C internal/store/db2/db2test ./fetch)" && go build -tags db2 ./cmd/brokerage
//
// With -here it downloads nothing, and fails if something is missing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"brokerage/internal/store/db2/db2test"
)

func main() {
	here := flag.Bool("here", false, "download nothing, and fail if something is missing")
	flag.Parse()
	get := func() (*db2test.Kit, error) { return db2test.FetchClient(context.Background()) }
	if *here {
		get = db2test.Fetched
	}
	kit, err := get()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1)
	}
	for _, setting := range kit.Environment() {
		name, value, _ := strings.Cut(setting, "=")
		fmt.Printf("export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
}
