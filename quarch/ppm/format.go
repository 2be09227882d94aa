package ppm

import (
	"strings"

	"powerd/quarch/wire"
)

// Versions of a stream's header, as they go with the answers to hello?.
const (
	versionPlus = 2
	versionXLC  = 4
	versionHD   = 5
)

// versionOf returns the header version that a module of this model should send; ok is
// false for a model that does not say its family, as the original one does not.
func versionOf(model string) (version byte, ok bool) {
	model = strings.ToUpper(model)
	switch {
	case strings.Contains(model, "HD PLUS"):
		return versionPlus, true
	case strings.HasPrefix(model, "XLC "):
		return versionXLC, true
	case strings.HasPrefix(model, "HD "):
		return versionHD, true
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
