package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// explain wraps err once, with the file, what was being done, and where SQLite
// says what is wrong, what to do.
func (d *DB) explain(op string, err error) error {
	if err == nil {
		return nil
	}
	hint := ""
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		hint = advice(e.Code())
	}
	return fmt.Errorf("%s database %s: %w%s", op, d.path, err, hint)
}

func advice(code int) string {
	switch code & 0xff { // the upper bits only refine the cause
	case codes.SQLITE_FULL:
		return "; the disk is full: free some space and analyze the run again"
	case codes.SQLITE_NOTADB:
		return "; this is no SQLite file: move it away, or choose another place with store.path"
	case codes.SQLITE_CORRUPT:
		return "; the file is damaged: move it away; runs can be put into a new one by analyzing their folders"
	case codes.SQLITE_CANTOPEN, codes.SQLITE_READONLY, codes.SQLITE_PERM, codes.SQLITE_AUTH:
		return "; it cannot be written: check the rights of file and folder, or choose another place with store.path"
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		return "; another program holds it: close that one and try again"
	case codes.SQLITE_IOERR:
		return "; the disk reports an error: see the kernel's log"
	}
	return ""
}
