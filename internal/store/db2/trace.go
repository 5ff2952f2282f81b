package db2

// names are the statements' names by their texts, in every form in which they go
// to the server: what a trace calls them. Others are the schema's, and have none.
var names = namesOf(statements)

func namesOf(statements map[string]string) map[string]string {
	names := make(map[string]string, 2*len(statements)*len(widths))
	for name, text := range statements {
		for _, width := range widths {
			names[widened(text, width)] = name
			names[padded(widened(text, width))] = name
		}
	}
	return names
}
