package catalog

import (
	"log/slog"

	"powerd/engine"
	"powerd/engine/fio"
)

// FioOptions say which fio to use.
type FioOptions struct {
	Path     string // "" = fio on PATH
	IOEngine string // "" = libaio
	Now      func() int64
	Log      *slog.Logger
}

// Fio returns the engine fio.
func Fio(o FioOptions) engine.Engine {
	return fio.New(fio.Options{Path: o.Path, Now: o.Now, Log: o.Log})
}
