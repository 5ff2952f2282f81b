package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

// pgbench runs the store's statements by PostgreSQL's own program, with the keys that the workloads draw.
type pgbench struct {
	*speed

	program string
	flags   map[string][]string // of a query: its scripts and what they draw from
}

func newPgbench(s *speed) *pgbench {
	program := s.server.Program("pgbench")
	if _, err := os.Stat(program); err != nil {
		s.b.Skipf("this PostgreSQL comes without pgbench: %v", err)
	}
	return &pgbench{speed: s, program: program, flags: make(map[string][]string)}
}

// drawnWords is the number of symbols or sectors that pgbench uses: it cannot choose words at random, so each is a
// separate script. They are few, since each connection prepares each script at its first use.
const drawnWords = 4

// prepare writes the scripts of a query.
func (p *pgbench) prepare(query string) {
	p.b.Helper()
	statement := pgbenchStatement(testenv.Text(p.b, "../../internal/store/postgres/sql/"+query+".sql"))
	scale, err := dataset.ParseScale(p.scale)
	require.NoError(p.b, err)
	d := dataset.New(dataset.Spec{Scale: scale, Seed: 1})
	ids := func(k dataset.Kind) string {
		return fmt.Sprintf("\\set p1 random(%d, %d)\n\\set p2 65536\n", d.ID(k, 0), d.ID(k, d.Count(k)-1))
	}
	switch query {
	case "get_order":
		p.script(query, "", ids(dataset.Order)+statement)
	case "customer_profile", "account_summary", "customer_max_order":
		p.script(query, "", ids(dataset.Customer)+statement)
	case "get_security", "get_security_price":
		for i := range drawnWords {
			p.script(query, d.Symbol(i*int(d.Count(dataset.Security))/drawnWords), statement)
		}
	case "search_securities":
		for _, sector := range dataset.Sectors()[:drawnWords] {
			p.script(query, sector,
				"\\set p2 random(20, 23) * 10000\n\\set p3 random(25, 27) * 10000\n\\set p4 random(4, 6) * 10000\n"+statement)
		}
	default:
		p.b.Fatalf("nobody says what pgbench draws for %s", query)
	}
}

// script adds a script, whose first parameter is a word or random.
func (p *pgbench) script(query, word, text string) {
	p.b.Helper()
	n := len(p.flags[query])
	file := filepath.Join(p.folder, fmt.Sprintf("%s-%d.sql", query, n))
	if word != "" {
		variable := fmt.Sprintf("word%d", n)
		text = regexp.MustCompile(`:p1\b`).ReplaceAllString(text, ":"+variable)
		p.flags[query] = append(p.flags[query], "-D", variable+"="+word)
	}
	require.NoError(p.b, os.WriteFile(file, []byte(text), 0o600))
	p.flags[query] = append(p.flags[query], "-f", file)
}

var pgbenchRate = regexp.MustCompile(`tps = ([0-9.]+) \(without initial connection time\)`)

// run returns the transactions a second.
func (p *pgbench) run(query string, each time.Duration) float64 {
	p.b.Helper()
	args := append([]string{
		"-n", "-M", "prepared", "-c", strconv.Itoa(p.users), "-j", "2", "-T", strconv.Itoa(max(1, int(each.Seconds()))),
	}, p.flags[query]...)
	out, err := exec.CommandContext(p.b.Context(), p.program, append(args, p.url)...).CombinedOutput()
	require.NoError(p.b, err, "%s", out)
	found := pgbenchRate.FindSubmatch(out)
	require.NotNil(p.b, found, "%s", out)
	rate, err := strconv.ParseFloat(string(found[1]), 64)
	require.NoError(p.b, err)
	return rate
}

// pgbenchStatement returns a statement in pgbench's form. pgbench replaces :NAME everywhere, even in strings, so colons
// in them are escaped, and parameters are variables. The server reads the same statement.
func pgbenchStatement(text string) string {
	for strings.HasPrefix(text, "--") {
		_, text, _ = strings.Cut(text, "\n")
	}
	token := regexp.MustCompile(`'(?:[^']|'')*'|"[^"]*"|\$\d`)
	return strings.TrimSpace(token.ReplaceAllStringFunc(text, func(t string) string {
		switch {
		case t[0] == '$':
			return ":p" + t[1:]
		case !strings.Contains(t, ":"):
			return t
		case t[0] == '"':
			return "U&" + strings.ReplaceAll(t, ":", `\003a`)
		default:
			return "E" + strings.ReplaceAll(strings.ReplaceAll(t, `\`, `\\`), ":", `\x3a`)
		}
	})) + ";\n"
}
