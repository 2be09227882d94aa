package catalog

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"powerd/powerd/internal/textfile"
	"powerd/quarch/sim"
)

// Fault is something wrong with an emulated module, its line or its bench.
type Fault = sim.Fault

// ParseFaults reads faults as they are typed: NAME or NAME:key=value,key=value…
func ParseFaults(texts []string) ([]Fault, error) {
	var out []Fault
	for _, text := range texts {
		f, err := sim.ParseFault(text)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// CheckFaults refuses faults that cannot be on together.
func CheckFaults(faults []Fault) error { return sim.CheckFaults(faults) }

// FaultTexts returns faults as ParseFaults reads them.
func FaultTexts(faults []Fault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, f.String())
	}
	return out
}

// FaultsHelp lists what faults there are, a line each, with the keys they take.
func FaultsHelp() string {
	var b strings.Builder
	for _, k := range sim.Faults() {
		fmt.Fprintf(&b, "  %-16s %s", k.Name, k.What)
		if k.Keys != "" {
			fmt.Fprintf(&b, " [%s]", k.Keys)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ReadFaults reads a file of faults: a list named faults, of which each entry is a text
// as it is typed, or a mapping of name and keys. All mistakes are told at once, each
// with its line.
func ReadFaults(path string) ([]Fault, error) {
	text, err := textfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	return parseFaultsFile(path, text)
}

func parseFaultsFile(path string, text []byte) ([]Fault, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read faults: %s: %w", path, err)
	}
	list, err := faultsList(&doc)
	if err != nil {
		return nil, fmt.Errorf("read faults: %s:%w", path, err)
	}
	var out []Fault
	var errs []error
	for _, n := range list {
		f, at, err := faultOf(n)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", path, at, err))
			continue
		}
		out = append(out, f)
	}
	return out, errors.Join(errs...)
}

// faultsList returns the entries of the list named faults; an error begins with its line.
func faultsList(doc *yaml.Node) ([]*yaml.Node, error) {
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("1: want a list named faults")
	}
	var list *yaml.Node
	top := doc.Content[0].Content
	for i := 0; i+1 < len(top); i += 2 {
		switch key := top[i]; {
		case key.Value != "faults":
			return nil, fmt.Errorf("%d: unknown key %s; there is: faults", key.Line, key.Value)
		case list != nil:
			return nil, fmt.Errorf("%d: faults is given twice", key.Line)
		case top[i+1].Kind != yaml.SequenceNode:
			return nil, fmt.Errorf("%d: faults: want a list", key.Line)
		}
		list = top[i+1]
	}
	if list == nil {
		return nil, errors.New("1: want a list named faults")
	}
	return list.Content, nil
}

// faultOf reads one entry. line is where it stands, or the key that is wrong.
func faultOf(n *yaml.Node) (f Fault, line int, err error) {
	switch n.Kind {
	case yaml.ScalarNode:
		f, err = sim.ParseFault(n.Value)
		return f, n.Line, err
	case yaml.MappingNode:
		return faultMapping(n)
	}
	return f, n.Line, errors.New("want NAME:key=value, or a mapping of name and keys")
}

func faultMapping(n *yaml.Node) (f Fault, line int, err error) {
	name := ""
	lines := map[string]int{}
	var settings []sim.Setting
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		lines[key.Value] = key.Line
		switch {
		case value.Kind != yaml.ScalarNode:
			return f, key.Line, fmt.Errorf("%s: want one value", key.Value)
		case key.Value == "name" && name != "":
			return f, key.Line, errors.New("name is given twice")
		case key.Value == "name":
			name = value.Value
		default:
			settings = append(settings, sim.Setting{Key: key.Value, Value: value.Value})
		}
	}
	if name == "" {
		return f, n.Line, errors.New("which fault? its name is missing")
	}
	f, err = sim.NewFault(name, settings)
	line = n.Line
	if wrong := (*sim.FaultError)(nil); errors.As(err, &wrong) && lines[wrong.Key] > 0 {
		line = lines[wrong.Key]
	}
	return f, line, err
}
