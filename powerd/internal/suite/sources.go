package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"powerd/powerd/internal/textfile"
)

// opener finds a suite that another one names; from is the file that names it.
type opener func(from, name string) (file string, data []byte, err error)

// builtIn opens built-in suites alone: what comes over a network names no files.
func builtIn(_, name string) (file string, data []byte, err error) {
	if !slices.Contains(Names(), name) {
		return "", nil, fmt.Errorf("no suite %q is built in (%s)", name, strings.Join(Names(), ", "))
	}
	return builtin().Find(name)
}

// beside opens a built-in suite, or a file by its path from the folder of the one that
// names it.
func beside(from, name string) (file string, data []byte, err error) {
	if !slices.Contains(Names(), name) && !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(from), name)
	}
	return builtin().Find(name)
}

const (
	maxSources = 100     // files of one suite
	lineSpan   = 2 << 20 // more lines than a file of textfile.MaxBytes has
)

// sources reads a suite and what it extends and includes into one tree. A node's line is
// that in its file, plus lineSpan × the file's place in files.
type sources struct {
	open   opener
	files  []string
	faults []error
	lines  []int // of faults that a decoder found
}

// place says where a line of the tree stands: "my.yaml:3".
func (r *sources) place(line int) string {
	i := min(line/lineSpan, len(r.files)-1)
	return fmt.Sprintf("%s:%d", r.files[i], line%lineSpan)
}

func (r *sources) fault(line int, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s: %s", r.place(line), fmt.Sprintf(format, args...)))
}

// read returns the tree of a file, nil beside faults that leave none; within are the files
// that lead to it.
func (r *sources) read(file string, data []byte, within []string) *yaml.Node {
	base := len(r.files) * lineSpan
	r.files = append(r.files, file)
	var doc yaml.Node
	before := len(r.faults)
	if !r.decode(file, data, base) || yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	if len(r.faults) > before && bytes.ContainsRune(data, '*') { // what was not decoded may hold itself
		return nil
	}
	root := inline(doc.Content[0])
	shift(root, base)
	r.whole(root)
	within = append(slices.Clone(within), file)
	r.include(root, within)
	from := value(root, "extends")
	if from == nil {
		return root
	}
	parent := r.another(from, "extends", within)
	if parent == nil {
		return nil
	}
	drop(root, "extends")
	return overlay(parent, root)
}

// wholes are the keys whose numbers are whole: a decoder would cut 32.5 to 32 without a word.
func wholes() []string {
	return []string{
		"qd", "jobs", "read_pct", "entropy", "rate_iops", "cycles", "rounds", "fresh_rounds", "last_rounds", "bursts", "demand_iops", "from", "to", "by",
	}
}

// whole refuses broken numbers where whole ones are meant.
func (r *sources) whole(n *yaml.Node) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && slices.Contains(wholes(), n.Content[i-1].Value) {
			for _, v := range append([]*yaml.Node{child}, child.Content...) {
				if v.Kind == yaml.ScalarNode && v.Tag == "!!float" {
					r.fault(v.Line, "%s: %s is no whole number", n.Content[i-1].Value, v.Value)
				}
			}
		}
		r.whole(child)
	}
}

// decode looks for the faults that a decoder finds, and reports whether there is a tree all
// the same.
func (r *sources) decode(file string, data []byte, base int) bool {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	err := d.Decode(new(Suite))
	wrong, wrongly := errors.AsType[*yaml.TypeError](err)
	switch {
	case errors.Is(err, io.EOF):
		r.faults = append(r.faults, fmt.Errorf("suite %s is empty; it needs name and steps", file))
		return false
	case wrongly:
		r.faults = append(r.faults, located(file, wrong.Errors))
		for _, text := range wrong.Errors {
			var line int
			if _, err := fmt.Sscanf(text, "line %d:", &line); err == nil {
				r.lines = append(r.lines, base+line)
			}
		}
	case err != nil:
		r.faults = append(r.faults, located(file, []string{strings.TrimPrefix(err.Error(), "yaml: ")}))
		return false
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		r.faults = append(r.faults, fmt.Errorf("suite %s: more than one YAML document; keep one a file", file))
		return false
	}
	return true
}

// located turns the decoder's faults into one a line, with file:line first and without the
// names of inner types.
func located(file string, faults []string) error {
	located := textfile.Located(file, faults)
	if strings.Contains(located.Error(), "unknown key") {
		return fmt.Errorf("%w\n`powerd suite check --help` lists the keys of a suite", located)
	}
	return located
}

// include puts the steps of other suites where `- include: NAME` stands.
func (r *sources) include(root *yaml.Node, within []string) {
	steps := value(root, "steps")
	if steps == nil || steps.Kind != yaml.SequenceNode {
		return
	}
	var out []*yaml.Node
	for _, st := range steps.Content {
		name := value(st, "include")
		if name == nil {
			out = append(out, st)
			continue
		}
		if len(st.Content) > 2 {
			r.fault(st.Line, "include: it stands alone; give what differs in a suite that extends this one")
			continue
		}
		if other := r.another(name, "include", within); other != nil {
			if inner := value(other, "steps"); inner != nil && inner.Kind == yaml.SequenceNode {
				out = append(out, inner.Content...)
			}
		}
	}
	steps.Content = out
}

// another reads the suite that a node names.
func (r *sources) another(name *yaml.Node, key string, within []string) *yaml.Node {
	file, data, err := r.open(within[len(within)-1], name.Value)
	switch {
	case err != nil:
		r.fault(name.Line, "%s: %v", key, err)
	case slices.Contains(within, file):
		r.fault(name.Line, "%s: %s holds itself: %s", key, file, strings.Join(append(within[slices.Index(within, file):], file), " → "))
	case len(r.files) >= maxSources:
		r.fault(name.Line, "%s: a suite is of up to %d files", key, maxSources)
	default:
		return r.read(file, data, within)
	}
	return nil
}

// overlay puts what a suite says over the one that it extends: steps of the same name key
// by key, others behind.
func overlay(parent, root *yaml.Node) *yaml.Node {
	base, own := value(parent, "steps"), value(root, "steps")
	if base != nil && own != nil && base.Kind == yaml.SequenceNode && own.Kind == yaml.SequenceNode {
		for _, st := range own.Content {
			name := value(st, "name")
			i := slices.IndexFunc(base.Content, func(b *yaml.Node) bool {
				other := value(b, "name")
				return name != nil && other != nil && name.Value == other.Value
			})
			if i < 0 {
				base.Content = append(base.Content, st)
			} else {
				over(base.Content[i], st)
				base.Content[i].Line = st.Line // its faults are told where it was changed
			}
		}
		drop(root, "steps")
	}
	over(parent, root)
	parent.HeadComment, parent.FootComment = root.HeadComment, ""
	return parent
}

// over puts the keys of one mapping over those of another, mappings in it too; one without
// a value (~) takes the key away.
func over(base, own *yaml.Node) {
	for i := 0; i+1 < len(own.Content); i += 2 {
		key, v := own.Content[i], own.Content[i+1]
		old := value(base, key.Value)
		switch {
		case v.Tag == "!!null":
			drop(base, key.Value)
		case old == nil:
			base.Content = append(base.Content, key, v)
		case old.Kind == yaml.MappingNode && v.Kind == yaml.MappingNode:
			over(old, v)
		default:
			*old = *v
		}
	}
}

// value returns what a mapping has under a key; nil if nothing, or if it is no mapping.
func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func drop(n *yaml.Node, key string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}

// inline puts what aliases stand for in their place, so that a tree can be taken apart. The
// tree was decoded: no alias holds itself, and none is a bomb.
func inline(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return inline(n.Alias)
	}
	out := *n
	out.Anchor, out.Content = "", make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = inline(c)
	}
	return &out
}

// shift moves the lines of a tree.
func shift(n *yaml.Node, by int) {
	n.Line += by
	for _, c := range n.Content {
		shift(c, by)
	}
}

// flat writes the tree of several files as one.
func (r *sources) flat(root *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s, with what it extends and includes: %s\n", r.files[0], strings.Join(r.files[1:], ", "))
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return nil, fmt.Errorf("write suite %s as one: %w", r.files[0], err)
	}
	return b.Bytes(), e.Close()
}
