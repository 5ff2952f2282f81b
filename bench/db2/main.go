// Command db2 is a stand-in for a Db2 server, for tests where there is no Db2: see README.md.
//
// Without arguments it starts a server, writes "ok" and the server's folder, and obeys the commands on its standard
// input, one a line, until that ends. It answers each with a line: "ok" and what the command returns, "error" and why,
// or, where the server cannot start on this machine, "missing" and what it lacks.
//
//	listen NAME ADDRESS   listen for clients of a database that does not exist yet; returns the address
//	create NAME           create the database, empty
//	clone NAME FROM       create the database as a copy of another
//	cut NAME              close all connections of clients; returns how many there were
//	connections NAME      return how many connections of clients there are
//	close NAME            stop listening; fails where a statement could not be rewritten
//
// With the argument environment it fetches what the server and IBM's driver need into the user's cache, and prints how
// to build with the driver, for a shell's eval; with -here as well it fetches nothing, and fails where that is missing.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"brokerage/internal/testenv"
)

func main() {
	if err := run(context.Background(), strings.Join(os.Args[1:], " ")); err != nil {
		fmt.Fprintln(os.Stderr, "bench/db2:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args string) error {
	switch args {
	case "":
		return serve(ctx, os.Stdin, os.Stdout)
	case "environment":
		return printEnvironment(fetch(ctx))
	case "environment -here":
		return printEnvironment(fetched())
	}
	return errors.New("usage: db2 [environment [-here]]")
}

func printEnvironment(k *kit, err error) error {
	if err != nil {
		return err
	}
	for _, setting := range k.environment() {
		name, value, _ := strings.Cut(setting, "=")
		fmt.Printf("export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	return nil
}

// serve starts a server and obeys commands until in ends.
func serve(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	s, err := start(ctx)
	if missing, is := errors.AsType[*testenv.NotHereError](err); is {
		_, err := fmt.Fprintln(out, "missing", missing.Reason)
		return err
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	if _, err := fmt.Fprintln(out, "ok", s.home); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		answer, err := s.obey(lines.Text())
		status := "ok"
		if err != nil {
			status, answer = "error", strings.ReplaceAll(err.Error(), "\n", " ")
		}
		if _, err := fmt.Fprintln(out, status, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

// obey runs a command and returns its result.
func (s *server) obey(line string) (result string, err error) {
	var command, name, other string
	_, _ = fmt.Sscan(line, &command, &name, &other) // the last one is empty where a command takes none
	d := s.databases[name]
	switch {
	case command == "listen":
		return s.listen(name, other)
	case d == nil:
		return "", errors.New("no such database")
	case command == "create":
		return "", d.create()
	case command == "clone" && s.databases[other] != nil:
		return "", d.clone(s.databases[other])
	case command == "cut":
		return strconv.Itoa(d.proxy.Cut()), nil
	case command == "connections":
		return strconv.Itoa(d.proxy.Connections()), nil
	case command == "close":
		return "", d.close()
	}
	return "", errors.New("no such command")
}
