package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"brokerage/internal/testenv"
)

// schemas is the folder of the schemas that XMLVALIDATE knows, from this one.
const schemas = "../../api/schema"

// A server is a running Derby, a Java process in a folder of its own.
type server struct {
	home      string
	java      *exec.Cmd
	commands  io.WriteCloser
	answers   *bufio.Reader
	address   string
	databases map[string]*database
}

// start starts a server. The working folder is the one that this file is in.
func start(ctx context.Context) (s *server, err error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return nil, &testenv.NotHereError{Reason: "the bench needs Java, and java is not installed"}
	}
	k, err := fetch(ctx)
	if err != nil {
		return nil, err
	}
	classes, err := compile(ctx, k)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(schemas)
	if err != nil {
		return nil, err
	}
	s = &server{databases: make(map[string]*database)}
	if s.home, err = os.MkdirTemp("", "db2bench"); err != nil {
		return nil, err
	}
	// It outlives the context that it was started in: the end of its input ends it.
	s.java = exec.CommandContext(context.WithoutCancel(ctx), java, "-Xmx768m", "-XX:+UseSerialGC",
		"-Dderby.system.home="+s.home, "-Dderby.stream.error.file="+filepath.Join(s.home, "derby.log"),
		"-Dderby.locks.waitTimeout=3", "-Dderby.locks.deadlockTimeout=1", "-Dderby.language.statementCache.size=500",
		"-Dderby.system.durability=test", // what a power failure would lose is gone with the test anyway
		"-Dbench.schemas="+folder, "-cp", strings.Join(append([]string{classes}, k.jars...), ":"), "Bench")
	s.java.Dir, s.java.Stderr = s.home, os.Stderr
	if s.commands, err = s.java.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.java.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.java.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.home))
	}
	s.answers = bufio.NewReader(out)
	line, err := s.answers.ReadString('\n')
	var port int
	if _, scanned := fmt.Sscanf(line, "ready %d", &port); scanned != nil {
		return nil, errors.Join(fmt.Errorf("the bench does not start: %s", line), err, s.Stop())
	}
	s.address = "127.0.0.1:" + strconv.Itoa(port)
	return s, nil
}

// Stop stops the server and removes its folder.
func (s *server) Stop() error {
	return errors.Join(s.commands.Close(), s.java.Wait(), os.RemoveAll(s.home))
}

// command runs a command of java/Bench.java.
func (s *server) command(words ...string) error {
	if _, err := io.WriteString(s.commands, strings.Join(words, " ")+"\n"); err != nil {
		return err
	}
	line, err := s.answers.ReadString('\n')
	if err != nil {
		return err
	}
	if line = strings.TrimSpace(line); line != "ok" {
		return fmt.Errorf("%s: %s", strings.Join(words, " "), line)
	}
	return nil
}

// compile compiles java/*.java, once for each state of them, and returns the folder of the classes.
func compile(ctx context.Context, k *kit) (dir string, err error) {
	files, err := filepath.Glob("java/*.java")
	if err != nil || len(files) == 0 {
		return "", errors.Join(err, errors.New("there is no java/*.java in the working folder"))
	}
	sum := sha256.New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", file, len(text), text) // a hash takes everything
	}
	dir = filepath.Join(k.classes, hex.EncodeToString(sum.Sum(nil))[:16])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	javac, err := exec.LookPath("javac")
	if err != nil {
		return "", &testenv.NotHereError{
			Reason: "the bench needs a JDK, and javac is not installed (Debian: apt-get install openjdk-17-jdk-headless)",
		}
	}
	return dir, once(dir, func(half string) error {
		args := []string{"-encoding", "UTF-8", "-cp", strings.Join(k.jars, ":"), "-d", half}
		if out, err := exec.CommandContext(ctx, javac, append(args, files...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("compiling the bench: %w: %s", err, out)
		}
		return nil
	})
}
