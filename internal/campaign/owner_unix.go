//go:build unix

package campaign

import (
	"os"
	"syscall"
)

// ofOthers reports whether a file belongs to another user than this process's or root.
func ofOthers(info os.FileInfo) bool {
	uid := info.Sys().(*syscall.Stat_t).Uid
	return uid != 0 && int(uid) != os.Geteuid()
}
