package db2

// names are the names of the statements for traces, by their texts in every form in which they are sent. The statements
// of the schema have none.
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
