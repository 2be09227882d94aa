package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// flagError says what is wrong with a flag in people's words: those of the library tell of
// its parser.
func flagError(err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	f := wrong.GetFlag()
	_, number := errors.AsType[*strconv.NumError](err)
	parsers := number || strings.HasPrefix(wrong.Unwrap().Error(), "time: ")
	if want := wants(f.Value.Type()); parsers && want != "" {
		return fmt.Errorf("--%s: %q: want %s", f.Name, wrong.GetValue(), want)
	}
	return fmt.Errorf("--%s: %q: %w", f.Name, wrong.GetValue(), wrong.Unwrap()) // a flag with a check of its own
}

// wants says what a flag of one of the library's types takes; empty of another.
func wants(kind string) string {
	switch kind {
	case "int", "int64":
		return "a whole number"
	case "uint", "uint64":
		return "a whole number, 0 or more"
	case "float64":
		return "a number"
	case "duration":
		return "a time with its unit, e.g. 500ms, 30s, 1h30m"
	case "bool":
		return "true or false"
	}
	return ""
}
