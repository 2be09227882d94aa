package suite

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Whoever writes a suite finds every key in the list of keys.
func TestKeysAreAllListed(t *testing.T) {
	for _, of := range []any{Suite{}, FileStep{}, Repeat{}, Trial{}, Fio{}, Over{}, Pausing{}, Commanding{}, Vary{}, Setting{}} {
		for field := range reflect.TypeOf(of).Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			if key != "" && key != "-" && !regexp.MustCompile(`\b`+key+`\b`).MatchString(Keys) {
				t.Errorf("%s of %T is not in the list", key, of)
			}
		}
	}
}
