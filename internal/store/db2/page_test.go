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
	askSchema      question = "Does Db2 accept each statement that creates a schema, of box.sql and of tuned.sql?"
	askConfigure   question = "Does Db2 accept the statements that configure the database (only with DB2_CONFIGURE=yes)?"
	askMigrate     question = "Does `migrate` create the schema, as the service does it?"
	askCompile     question = "Does Db2 compile each statement of the store?"
	askProbes      question = "Does Db2 know the forms that could take the place of doubtful ones?"
	askConformance question = "Does the store do what the contract says (conformance suite)?"
	askTimeout     question = "Does the statement timeout interrupt a statement (SQL0952N)?"
	askStatistics  question = "Does `RUNSTATS` collect statistics, as a load asks for them, and are sizes known?"
	askPlans       question = "Does each statement find its documents by the index that it is meant to use?"
	askCampaign    question = "Does a smoke campaign end?"
	askDrop        question = "Was everything removed that the run created?"
)

// questions are all questions in the order of the page, each with the file that holds more about it.
var questions = []struct {
	question
	file string
}{
	{askSchema, "attempts.json"}, {askConfigure, "attempts.json"}, {askMigrate, "attempts.json"},
	{askCompile, "attempts.json"}, {askProbes, "attempts.json"}, {askTimeout, "attempts.json"},
	{askStatistics, "attempts.json"},
	{askConformance, "tests.txt"}, {askPlans, "plans.txt"},
	{askCampaign, "campaign/campaign.html, campaign.txt"}, {askDrop, "drop.clp"},
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
		fmt.Fprintf(&b, "\n## Not confirmed: %s\n\n| what | Db2's answer |\n|---|---|\n", q.question)
		for _, a := range failed {
			fmt.Fprintf(&b, "| %s | %s |\n", a.Name, cell(a.said()))
		}
	}
	return b.String()
}

// said returns the server's message, preceded by its codes.
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
