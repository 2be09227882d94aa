package datasheet

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// sheetFile is a drive file as written.
type sheetFile struct {
	Name      field       `yaml:"name"`
	Vendor    field       `yaml:"vendor"`
	Model     field       `yaml:"model"`
	Capacity  field       `yaml:"capacity"`
	Interface field       `yaml:"interface"`
	Rails     []field     `yaml:"rails"`
	SpinUp    bool        `yaml:"spin_up"`
	Claims    []claimFile `yaml:"claims"`
}

// claimFile is one of its claims.
type claimFile struct {
	Name     field         `yaml:"name"`
	Quantity field         `yaml:"quantity"`
	Kind     field         `yaml:"kind"`
	Value    field         `yaml:"value"`
	Rail     field         `yaml:"rail"`
	Window   field         `yaml:"window"`
	Workload *workloadFile `yaml:"workload"`
	Source   field         `yaml:"source"`

	line int
}

// workloadFile is what a claim's IO is.
type workloadFile struct {
	RW      field `yaml:"rw"`
	BS      field `yaml:"bs"`
	ReadPct field `yaml:"read_pct"`
	QD      field `yaml:"qd"`
	State   field `yaml:"state"`
}

// UnmarshalYAML keeps where the claim stands.
func (c *claimFile) UnmarshalYAML(n *yaml.Node) error {
	type plain claimFile
	err := strict(n, (*plain)(c), "name", "quantity", "kind", "value", "rail", "window", "workload", "source")
	c.line = n.Line
	return err
}

// UnmarshalYAML is strict, as claims are.
func (w *workloadFile) UnmarshalYAML(n *yaml.Node) error {
	type plain workloadFile
	return strict(n, (*plain)(w), "rw", "bs", "read_pct", "qd", "state")
}

// strict decodes a mapping and names the keys that it may not have: a decoder within
// another passes them over.
func strict(n *yaml.Node, into any, keys ...string) error {
	var faults []string
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := n.Content[i]; !slices.Contains(keys, key.Value) {
				faults = append(faults, fmt.Sprintf("line %d: unknown key %s", key.Line, key.Value))
			}
		}
	}
	err := n.Decode(into)
	if wrong, ok := errors.AsType[*yaml.TypeError](err); ok {
		faults, err = append(faults, wrong.Errors...), nil
	}
	if err != nil || faults == nil {
		return err
	}
	return &yaml.TypeError{Errors: faults}
}

// field is a value as it is written, with the line that it stands in.
type field struct {
	text string
	line int
}

// UnmarshalYAML takes one value of any kind.
func (f *field) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: one value is wanted here", n.Line)}}
	}
	f.text, f.line = n.Value, n.Line
	return nil
}
