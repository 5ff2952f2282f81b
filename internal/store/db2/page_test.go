package db2

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A question is what a trial asks a server.
type question string

const (
	askSchema      question = "Does Db2 accept each statement that creates a schema, with both settings and all designs?"
	askConfigure   question = "Does Db2 accept the statements that configure the database?"
	askMigrate     question = "Does `migrate` create the schema, as the service does it?"
	askCompile     question = "Does Db2 compile each statement of the store?"
	askConformance question = "Does the store do what the contract says (conformance suite)?"
	askTimeout     question = "Does the statement timeout interrupt a statement (SQL0952N)?"
	askStatistics  question = "Does `RUNSTATS` collect statistics, as a load asks for them?"
	askPlans       question = "Does each statement find its documents by the index that it is meant to use?"
	askCalls       question = "Does each transaction answer on a loaded database?"
	askCampaign    question = "Does a smoke campaign end, out of the box and tuned?"
	askDrop        question = "Was everything removed that the run created?"
)

// questions are all questions in the order of the page, each with the file that holds more about it.
var questions = []struct {
	question
	file string
}{
	{askSchema, "attempts.json"}, {askConfigure, "attempts.json"}, {askMigrate, "attempts.json"},
	{askCompile, "attempts.json"}, {askTimeout, "attempts.json"}, {askStatistics, "attempts.json"},
	{askConformance, "tests.txt"}, {askPlans, "plans.txt"}, {askCalls, "server.json"},
	{askCampaign, "campaign/campaign.html, campaign.txt"}, {askDrop, "drop.clp"},
}

// meanings say what a SQLCODE means here, in plain words.
var meanings = map[int]string{
	-104:   "a syntax error: Db2's grammar is not what we read in the manual",
	-107:   "a name is too long: buffer pools and table spaces have at most 18 bytes",
	-204:   "an object does not exist: look at the statement that should have created it",
	-206:   "a column does not exist in this version of Db2",
	-219:   "there are no explain tables, so nothing is known about plans",
	-220:   "the explain tables are of another version of Db2",
	-270:   "this Db2, or its edition, lacks the function",
	-289:   "a table space is full",
	-302:   "a value is too large for its parameter",
	-401:   "types do not fit each other",
	-418:   "a parameter needs a type here",
	-428:   "the statement must be the first of its unit of work",
	-433:   "a document is longer than the type that the statement declares",
	-440:   "a function or procedure with these arguments does not exist",
	-443:   "an administrative procedure failed; its message says why",
	-551:   "the user lacks a privilege",
	-552:   "the user may not do that: it needs more authority",
	-601:   "an object of that name exists: all schemas of a database share the names of buffer pools and table spaces",
	-803:   "a key exists already",
	-911:   "a deadlock (reason 2) or lock timeout (68); the transaction was rolled back",
	-913:   "a deadlock (reason 2) or lock timeout (68)",
	-930:   "memory is full",
	-952:   "the client interrupted the statement: a timeout",
	-964:   "the log is full: LOGFILSIZ, LOGPRIMARY and LOGSECOND",
	-968:   "a file system is full",
	-1042:  "an error inside Db2: db2diag.log has more",
	-1092:  "the user may not do that: it needs SYSADM, SYSCTRL or SYSMAINT",
	-1224:  "the server ended the connection",
	-1229:  "the transaction was rolled back: a member or the connection failed",
	-1242:  "pureXML does not support that here",
	-1476:  "the transaction was rolled back when it should commit",
	-1585:  "there is no temporary table space with pages that are large enough",
	-2310:  "statistics could not be collected; the message has the reason",
	-16002: "a syntax error in XQuery: the dialect is not what we read in the manual",
	-16003: "a value has not the type that XQuery needs",
	-16005: "XQuery: an undefined variable or prefix",
	-16007: "XQuery: Db2 lacks that axis",
	-16009: "XQuery: Db2 lacks that function",
	-16031: "XQuery: Db2 does not support that expression",
	-16061: "a value cannot be cast, such as text to a number",
	-16081: "XQuery: the modify clause of a transform expression is not an updating expression",
	-16083: "XQuery: two updates of one node",
	-16085: "XQuery: the target of an update is not exactly one node",
	-16196: "a document is not valid by its schema",
	-20304: "the pattern of an XML index is not supported",
	-20305: "a value does not fit into an XML index",
	-20329: "an XML schema is not complete: a document that it includes is missing",
	-20335: "several XML schemas fit",
	-20353: "XML is not allowed there",
	-30081: "the connection was lost, or nobody listens",
	-30108: "the connection was rerouted to another server, and the transaction rolled back",
}

// meaning says what is known of the failure of an attempt.
func (a probe) meaning() string {
	if known, ok := meanings[a.Code]; ok {
		return known
	}
	switch {
	case a.State == stateInvalidDocument:
		return "a document is not well-formed, or not valid by its schema"
	case a.Code <= -16000 && a.Code > -17000:
		return "XQuery; the manual of messages has the code"
	case a.Code != 0:
		return "the manual of messages has the code"
	}
	return ""
}

// answer answers a question in plain words.
func (t *trial) answer(q question) string {
	failed, all := t.failed(q)
	switch {
	case all == 0 && t.untried[q] != "":
		return "**not tried**: " + t.untried[q]
	case all == 0:
		return "**not tried**: the run ended before it"
	case len(failed) == 0:
		return fmt.Sprintf("**confirmed**: %d of %d", all, all)
	case len(failed) == all:
		return fmt.Sprintf("**not confirmed**: none of %d", all)
	}
	return fmt.Sprintf("**not confirmed**: %d of %d", all-len(failed), all)
}

// page returns the page for a person.
func (t *trial) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What this run has shown\n\nServer: %s\n\n", t.server)
	b.WriteString("| question | answer | details |\n|---|---|---|\n")
	for _, q := range questions {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", q.question, t.answer(q.question), q.file)
	}
	b.WriteString("\nA time in these files is not a measurement. No file holds the password. " +
		"Please send the whole folder.\n")
	for _, q := range questions {
		failed, _ := t.failed(q.question)
		if len(failed) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## Not confirmed: %s\n\n| what | Db2's answer | meaning |\n|---|---|---|\n", q.question)
		for _, a := range failed {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", a.Name, cell(a.said()), a.meaning())
		}
	}
	return b.String()
}

// said returns the server's answer with its codes before it.
func (a probe) said() string {
	if a.Code == 0 {
		return a.Failure
	}
	codes := fmt.Sprintf("SQLCODE %d, SQLSTATE %s", a.Code, a.State)
	if a.Reason != 0 {
		codes += fmt.Sprintf(", reason %d", a.Reason)
	}
	return codes + ": " + a.Failure
}

// cell returns a text for a cell of a table, on one line and not too long.
func cell(text string) string {
	const most = 400
	line := strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "…"
	}
	return line
}

// write writes the page and all attempts into a folder.
func (t *trial) write(folder string) error {
	all, err := json.MarshalIndent(t.attempts, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "README.md"), []byte(t.page()), 0o644),
		os.WriteFile(filepath.Join(folder, "attempts.json"), append(all, '\n'), 0o644),
	)
}

// unconfirmed returns the questions that were asked and not confirmed.
func (t *trial) unconfirmed() (list []question) {
	for _, q := range questions {
		if failed, _ := t.failed(q.question); len(failed) > 0 {
			list = append(list, q.question)
		}
	}
	return list
}
