package postgres

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

func TestCopied(t *testing.T) {
	for doc, line := range map[string]string{
		"":                    "\n",
		"<a>x</a>":            "<a>x</a>\n",
		"\\<a>\n</a>\t\r\\N":  `\\<a>\n</a>\t\r\\N` + "\n",
		"<a>\\.</a>":          `<a>\\.</a>` + "\n",
		"株\n\n":               `株\n\n` + "\n",
		"ends with a \\":      `ends with a \\` + "\n",
		"\tbegins with a tab": `\tbegins with a tab` + "\n",
	} {
		var rows copied
		rows.document([]byte(doc))
		require.Equal(t, line, string(rows), "%q", doc)
	}
	var rows copied
	rows.owner(0)
	rows.owner(7)
	require.Equal(t, "\\N\t7\t", string(rows))
}

func BenchmarkCopied(b *testing.B) {
	doc := generator(b, "tiny").Append(nil, dataset.Security, 1)
	escaped := bytes.ReplaceAll(doc, []byte("><"), []byte(">\n<"))
	for name, text := range map[string][]byte{"Plain": doc, "Escaped": escaped} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var rows copied
			for b.Loop() {
				rows = rows[:0]
				rows.document(text)
			}
		})
	}
}
