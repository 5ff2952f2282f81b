//go:build !unix

package sqlite

import "os"

// lockFile has no lock to offer here: that one process uses the database is
// then up to who starts it.
func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path+"-lock", os.O_RDWR|os.O_CREATE, 0o666)
}
