package ppm

import (
	"strings"

	"powerd/quarch/wire"
)

// versionOf returns the header version that a module of this model should send; ok is
// false for a model that does not say its family, as the original one does not.
func versionOf(model string) (version byte, ok bool) {
	model = strings.ToUpper(model)
	switch {
	case strings.Contains(model, "HD PLUS"):
		return wire.VersionPlus, true
	case strings.HasPrefix(model, "XLC "):
		return wire.VersionXLC, true
	case strings.HasPrefix(model, "HD "):
		return wire.VersionHD, true
	}
	return 0, false
}

// compareFormat notes where a stream's header is not what the model's should be. The
// header decides: it is of the very bytes that follow it.
func (m *Module) compareFormat(h wire.Header) {
	if want, ok := versionOf(m.identity.Model); ok && h.Version != want {
		m.o.Log.Warn("the stream's format is another than this model's: it is read as its header says",
			"port", m.o.Port, "model", m.identity.Model, "version", h.Version, "of_model", want)
	}
}
