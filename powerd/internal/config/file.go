package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader walks a file's nodes: the only place that knows lines, and sees a key
// before its case is lost.
type reader struct {
	kind   string // of the origins
	file   string
	out    settings
	faults []error
}

// readFile reads the settings of a YAML file. kind and file are for origins and
// faults.
func readFile(kind, file string, data []byte) (settings, error) {
	r := reader{kind: kind, file: file}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) { // nothing but comments
		return r.out, nil
	}
	if err != nil {
		return r.out, fmt.Errorf("%s: %w", file, err)
	}
	if d.Decode(new(yaml.Node)) == nil {
		return r.out, fmt.Errorf("%s: more than one YAML document; keep one", file)
	}
	r.section(doc.Content[0], "", keyNames(keys()))
	return r.out, errors.Join(r.faults...)
}

func (r *reader) where(n *yaml.Node) string { return fmt.Sprintf("%s:%d", r.file, n.Line) }

func (r *reader) fault(n *yaml.Node, key, text, want string) {
	r.faults = append(r.faults, &KeyError{Where: r.where(n), Key: key, Value: text, Want: want})
}

// pair is an entry of a mapping.
type pair struct{ name, value *yaml.Node }

// pairs returns a mapping's entries; twice the same, or the same but for case, is
// a fault of the second.
func (r *reader) pairs(n *yaml.Node, prefix string) []pair {
	n = follow(n)
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil // a section with nothing but comments
	}
	if n.Kind != yaml.MappingNode {
		r.fault(n, cmp.Or(strings.TrimSuffix(prefix, "."), "the file"), n.Value, "must be keys and values")
		return nil
	}
	var all []pair
	for i := 0; i+1 < len(n.Content); i += 2 {
		p := pair{n.Content[i], follow(n.Content[i+1])}
		if j := slices.IndexFunc(all, func(q pair) bool { return strings.EqualFold(q.name.Value, p.name.Value) }); j >= 0 {
			want := fmt.Sprintf("is there already, in line %d", all[j].name.Line)
			if all[j].name.Value != p.name.Value {
				want = fmt.Sprintf("differs from %s in line %d by case only; rename one", all[j].name.Value, all[j].name.Line)
			}
			r.fault(p.name, prefix+p.name.Value, "", want)
			continue
		}
		all = append(all, p)
	}
	return all
}

// section reads a mapping whose keys are known, dotted names below prefix.
func (r *reader) section(n *yaml.Node, prefix string, known []string) {
	children := childrenOf(prefix, known)
	if prefix == "" {
		children = append(children, "modules", "benches")
	}
	for _, p := range r.pairs(n, prefix) {
		name := prefix + p.name.Value
		switch {
		case name == "modules":
			r.out.modules = r.named(p.value, modulesPrefix, moduleKeys)
		case name == "benches":
			r.out.benches = r.named(p.value, benchesPrefix, benchKeys)
		case slices.Contains(known, name) && isList(name) && p.value.Kind == yaml.SequenceNode:
			r.list(p, name)
		case slices.Contains(known, name):
			r.scalar(p, name)
		case slices.Contains(children, p.name.Value):
			r.section(p.value, name+".", known)
		default:
			hint := didYouMean(p.name.Value, children)
			if hint == "" {
				hint = elsewhere(p.name.Value, known)
			}
			r.fault(p.name, name, "", "is no setting"+hint)
		}
	}
}

// named reads entries under names of the user's own, which stay as they are.
func (r *reader) named(n *yaml.Node, prefix string, keys func(prefix string) []key) []named {
	var out []named
	for _, p := range r.pairs(n, prefix) {
		own := prefix + p.name.Value + "."
		if p.name.Value == "" || strings.Contains(p.name.Value, ".") {
			r.fault(p.name, prefix+p.name.Value, "", "is no name; leave out dots")
			continue
		}
		out = append(out, named{p.name.Value, r.where(p.name)})
		r.section(p.value, own, keyNames(keys(own)))
	}
	return out
}

// list reads a list of words, kept as one text.
func (r *reader) list(p pair, name string) {
	var words []string
	for _, n := range p.value.Content {
		n = follow(n)
		if n.Kind != yaml.ScalarNode || strings.ContainsAny(n.Value, ", ") {
			r.fault(n, name, n.Value, "must be a list of words")
			return
		}
		words = append(words, n.Value)
	}
	r.out.set(name, value{strings.Join(words, listSeparator), Origin{r.kind, r.where(p.value)}})
}

// scalar reads one value as it is written.
func (r *reader) scalar(p pair, name string) {
	switch {
	case p.value.Kind != yaml.ScalarNode:
		r.fault(p.value, name, "", "must be one value")
	case p.value.Tag == "!!null":
		r.fault(p.name, name, "", `has no value; give one, "" for none, or leave the key out`)
	default:
		r.out.set(name, value{p.value.Value, Origin{r.kind, r.where(p.value)}})
	}
}

// follow returns what an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// childrenOf lists the names right below prefix.
func childrenOf(prefix string, known []string) []string {
	var out []string
	for _, k := range known {
		if rest, ok := strings.CutPrefix(k, prefix); ok {
			name, _, _ := strings.Cut(rest, ".")
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// elsewhere names the key that ends in name.
func elsewhere(name string, known []string) string {
	for _, k := range known {
		if strings.HasSuffix(k, "."+name) {
			return fmt.Sprintf(" (did you mean %s?)", k)
		}
	}
	return ""
}
