// Fetch brings what the bench and the driver of Db2 need into the user's cache,
// and says how to build with it, for a shell's eval:
//
//	eval "$(go run ./internal/store/db2/db2test/fetch)" && go build -tags db2 ./cmd/brokerage
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"brokerage/internal/store/db2/db2test"
)

func main() {
	kit, err := db2test.Fetch(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1)
	}
	for _, setting := range kit.Environment() {
		name, value, _ := strings.Cut(setting, "=")
		fmt.Printf("export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
}
