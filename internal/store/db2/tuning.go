package db2

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Tuning is what the published studies did beyond a Setup. Each part is optional; docs/db2-tuning.md has the sources.
type Tuning struct {
	// PoolMemory is how many bytes the buffer pools of Tuned begin with, all together; 0 is 1,000 pages each.
	PoolMemory int64
	// Temporary gives Tuned a temporary table space with a buffer pool of its own.
	Temporary bool
	// StoragePaths are added to the database before the table spaces of Tuned are created.
	StoragePaths []string
	// LogPath is the folder of the logs with Tuned; empty leaves it.
	LogPath string
	// Autoconfigure is how much of the instance's memory, in percent, the Configuration Advisor plans for Box; 0 leaves
	// it all of its defaults.
	Autoconfigure int
	// StatisticsSample is how many of the pages RUNSTATS reads, in percent; 0 is all of them.
	StatisticsSample int
	// Dictionary reorganizes the tables after a load, so that every row is compressed by a dictionary of the whole table.
	Dictionary bool
	// Settle is how long a load test waits at most, after its warm-up, for the sizes of the buffer pools to be steady.
	Settle time.Duration
}

const pageBytes = 16 << 10 // of the buffer pools

// poolPages returns the pages that a buffer pool begins with, for its share of the memory as the files have it.
func (t Tuning) poolPages(text string) string {
	percent, err := strconv.ParseInt(share.FindStringSubmatch(text)[1], 10, 64)
	if err != nil || t.PoolMemory == 0 {
		return ""
	}
	return fmt.Sprint(max(t.PoolMemory/100*percent/pageBytes, 1)) + " "
}

// sample returns the clause of RUNSTATS by which it reads a part of the pages.
func (t Tuning) sample() string {
	if t.StatisticsSample == 0 {
		return ""
	}
	return fmt.Sprintf(" TABLESAMPLE SYSTEM (%d)", t.StatisticsSample)
}

// afterLoad returns the names of the statements that a load runs on each table when all documents are stored.
func (t Tuning) afterLoad() []string {
	if t.Dictionary {
		return []string{"reorganize", "runstats"}
	}
	return []string{"runstats"}
}

// later returns the names of the statements that Script shows, because other commands run them.
func (t Tuning) later() []string {
	if t.Settle == 0 {
		return t.afterLoad()
	}
	return append(t.afterLoad(), "pool_sizes")
}

// onTable returns a statement on one table, from its text for any.
func (t Tuning) onTable(text, schema, table string) string {
	return strings.NewReplacer("$schema", schema, "$table", strings.ToUpper(table), "$sample", t.sample()).Replace(text)
}

// memory returns a reader for a setting that is an amount of memory.
func memory(field func(*parameters) *int64) func(*parameters, string) error {
	return func(p *parameters, value string) error {
		for unit, size := range map[string]int64{"MiB": 1 << 20, "GiB": 1 << 30} {
			number, has := strings.CutSuffix(value, unit)
			n, err := strconv.ParseInt(number, 10, 64)
			if has && err == nil && n > 0 && n <= math.MaxInt64>>40 {
				*field(p) = n * size
				return nil
			}
		}
		return errors.New("is not an amount of memory such as 512MiB or 48GiB")
	}
}

// percent returns a reader for a setting that is a number of percent.
func percent(field func(*parameters) *int) func(*parameters, string) error {
	return func(p *parameters, value string) (err error) {
		if *field(p), err = strconv.Atoi(value); err != nil || *field(p) < 1 || *field(p) > 100 {
			return errors.New("is not a number of percent from 1 to 100")
		}
		return nil
	}
}

// serverPath is a path that may be part of a command to the server.
var serverPath = regexp.MustCompile(`^/[\w./-]{1,174}$`)

// paths returns a reader for a setting that is one or more absolute paths of the server, separated by commas.
func paths(most int, set func(*parameters, []string)) func(*parameters, string) error {
	return func(p *parameters, value string) error {
		list := strings.Split(value, ",")
		for _, path := range list {
			if !serverPath.MatchString(path) || len(list) > most {
				return errors.New("is not an absolute path of letters, digits and . _ - / of at most 175 characters, " +
					"or, for storage_paths, several with commas between them")
			}
		}
		set(p, list)
		return nil
	}
}
