package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kinds of origins.
const (
	FromDefault = "default"
	FromFile    = "file"
	FromEnv     = "environment"
	FromFlag    = "flag"
)

// Origin is where a value came from.
type Origin struct {
	Kind  string // FromDefault, FromFile, FromEnv, FromFlag
	Where string // "powerd.yaml:12", "POWERD_INFLUX_URL", "--module"
}

func (o Origin) String() string {
	if o.Kind == FromDefault {
		return o.Kind
	}
	return o.Kind + " " + o.Where
}

// value is a text and where it was written.
type value struct {
	text   string
	origin Origin
}

// settings are the values of one source, by dotted name.
type settings struct {
	values           map[string]value
	modules, benches []named // in their order
}

// named is a name under modules or benches, as written, and where it stands.
type named struct{ name, where string }

func (s *settings) set(key string, v value) {
	if s.values == nil {
		s.values = make(map[string]value)
	}
	s.values[key] = v
}

// nested returns the values as viper merges them, without those under names of the
// user's own: viper would lower-case these.
func (s *settings) nested() map[string]any {
	out := make(map[string]any)
	for k, v := range s.values {
		if strings.HasPrefix(k, modulesPrefix) || strings.HasPrefix(k, benchesPrefix) {
			continue
		}
		section, name, nested := strings.Cut(k, ".")
		if !nested {
			out[k] = v.text
			continue
		}
		inner, ok := out[section].(map[string]any)
		if !ok {
			inner = make(map[string]any)
			out[section] = inner
		}
		inner[name] = v.text
	}
	return out
}

const (
	envPrefix    = "POWERD_"
	fileVariable = "POWERD_CONFIG" // names the file
)

func variable(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// readEnv takes the variables that stand for keys. One that stands for none is a
// fault, like a misspelt key. Names that begin with POWERD_TEST_ are not ours.
func readEnv(env []string) (settings, error) {
	byVariable := make(map[string]string)
	var variables []string
	for _, k := range keys() {
		byVariable[variable(k.name)] = k.name
		variables = append(variables, variable(k.name))
	}
	var s settings
	var faults []error
	for _, e := range env {
		name, text, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, envPrefix) || strings.HasPrefix(name, envPrefix+"TEST_") || name == fileVariable || text == "" {
			continue
		}
		key, ok := byVariable[name]
		if !ok {
			faults = append(faults, &KeyError{Where: "environment", Key: name, Want: "is no setting" + didYouMean(name, variables)})
			continue
		}
		s.set(key, value{text, Origin{FromEnv, name}})
	}
	return s, errors.Join(faults...)
}

func readFlags(flags []Flag) (settings, error) {
	var s settings
	known := keyNames(keys())
	for _, f := range flags {
		if !slices.Contains(known, f.Key) {
			return s, fmt.Errorf("flag %s stands for %s, which is no setting", f.Name, f.Key)
		}
		s.set(f.Key, value{f.Value, Origin{FromFlag, f.Name}})
	}
	return s, nil
}

func keyNames(all []key) []string {
	names := make([]string, len(all))
	for i, k := range all {
		names[i] = k.name
	}
	return names
}
