package postgres

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// convert inserts the rows of a table in the layout of one server, from the data of its COPY, into the tables of a
// spread layout.
func (s *Store) convert(ctx context.Context, tx pgx.Tx, table string, data *bufio.Reader) error {
	if table == "answers" {
		return s.convertAnswers(ctx, tx, data)
	}
	k := dataset.Kind(slices.Index(tableNames[:], table))
	var docs [][]byte
	var keys []any
	for {
		line, err := data.ReadBytes('\n')
		if len(line) > 0 {
			row := bytes.TrimSuffix(line, []byte("\n"))
			doc := unescape(row[bytes.LastIndexByte(row, '\t')+1:]) // the last column
			of, err := store.KeysOf(k, doc)
			if err != nil {
				return fmt.Errorf("a document of the backup in table %s: %w", table, err)
			}
			docs, keys = append(docs, doc), append(keys, of)
		}
		if end := errors.Is(err, io.EOF); len(docs) == chunkSize || end && len(docs) > 0 {
			if err := s.copyDocuments(ctx, tx, k, docs, keys); err != nil {
				return err
			}
			docs, keys = nil, nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// convertAnswers puts each answer into the slot of its key.
func (s *Store) convertAnswers(ctx context.Context, tx pgx.Tx, data *bufio.Reader) error {
	var rows copied
	for {
		line, err := data.ReadBytes('\n')
		if len(line) > 0 {
			columns := bytes.Split(line, []byte("\t"))
			client, failed := unhex(columns[0])
			key, wrong := unhex(columns[1])
			if err := errors.Join(failed, wrong); err != nil {
				return err
			}
			slot := s.slot(&tpox.Once{Client: client, Key: key})
			rows = append(fmt.Appendf(rows, "%d\t", slot), line...)
		}
		if errors.Is(err, io.EOF) {
			return rows.to(ctx, tx, "answers", spreadBackedUp[len(spreadBackedUp)-1].columns)
		} else if err != nil {
			return err
		}
	}
}

// unescape reverses what COPY writes for special bytes.
func unescape(column []byte) []byte {
	if !bytes.ContainsRune(column, '\\') {
		return column
	}
	return []byte(unescapes.Replace(string(column)))
}

var unescapes = strings.NewReplacer(`\\`, "\\", `\n`, "\n", `\r`, "\r", `\t`, "\t", `\b`, "\b", `\f`, "\f", `\v`, "\v")

// unhex reads a column of bytes as COPY writes it: \\x and hexadecimal digits.
func unhex(column []byte) (string, error) {
	b, err := hex.DecodeString(strings.TrimPrefix(string(column), `\\x`))
	return string(b), err
}
