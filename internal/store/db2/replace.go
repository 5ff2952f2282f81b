package db2

import "brokerage/internal/tpox"

// asIs returns the name of the statement that writes a customer or a security, with or without validation.
func asIs(name string, validate bool) string {
	if validate {
		return name
	}
	return name + "_as_is"
}

// replace replaces the document with the given key, if the stored version is one that match allows.
func (t *tx) replace(what, key string, doc []byte, validate bool, match tpox.Match) error {
	none := &tpox.NotFound{What: what, Key: key}
	if match != nil {
		stored, err := t.lock(what, key)
		switch {
		case err != nil:
			return err
		case stored == nil:
			return none
		case !match.Holds(stored):
			return &tpox.Stale{}
		}
	}
	changed, err := t.exec(asIs("replace_"+what, validate), doc, key)
	if err == nil && !changed {
		err = none
	}
	return err
}
