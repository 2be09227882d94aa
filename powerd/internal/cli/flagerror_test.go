package cli

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// Whatever a flag takes, a wrong value is told in people's words: which flag, what was
// given, what is wanted. The parser's own words never come through.
func TestWrongFlagsAreToldInWords(t *testing.T) {
	f := pflag.NewFlagSet("x", pflag.ContinueOnError)
	f.Int("int", 0, "")
	f.Int64("int64", 0, "")
	f.Uint("uint", 0, "")
	f.Uint64("uint64", 0, "")
	f.Float64("float", 0, "")
	f.Duration("time", time.Second, "")
	f.Bool("bool", false, "")
	for given, want := range map[string]string{
		"--int=x":                      `--int: "x": want a whole number`,
		"--int64=99999999999999999999": `--int64: "99999999999999999999": want a whole number`,
		"--uint=-1":                    `--uint: "-1": want a whole number, 0 or more`,
		"--uint64=1.5":                 `--uint64: "1.5": want a whole number, 0 or more`,
		"--float=much":                 `--float: "much": want a number`,
		"--time=5":                     `--time: "5": want a time with its unit, e.g. 500ms, 30s, 1h30m`,
		"--bool=maybe":                 `--bool: "maybe": want true or false`,
		"--unknown":                    "unknown flag: --unknown",
	} {
		if err := flagError(f.Parse([]string{given})); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", given, err, want)
		}
	}
}
