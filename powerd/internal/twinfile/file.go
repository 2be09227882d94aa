package twinfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"powerd/configs"
	"powerd/engine/twin/model"
	"powerd/powerd/internal/textfile"
)

// mostExtends is how long a chain of files may be: a longer one goes in a circle.
const mostExtends = 8

func builtin() textfile.Builtin {
	return textfile.Builtin{Kind: "twin", FS: configs.Twins, Dir: "twins"}
}

// Names lists the built-in twins.
func Names() []string { return builtin().Names() }

// Find reads a built-in twin by its name, or else a twin file by its path.
func Find(name string) (model.Config, error) {
	if all := Names(); !isPath(name) && !slices.Contains(all, name) {
		return model.Config{}, fmt.Errorf("no twin is called %q; there is: %s; or name a twin file, FILE.yaml", name, strings.Join(all, ", "))
	}
	file, data, err := builtin().Find(name)
	if err != nil {
		return model.Config{}, err
	}
	return Parse(file, data)
}

// Parse reads a twin file; file names it in messages, and is where a path that it
// extends is looked for beside. Its error joins all faults.
func Parse(file string, data []byte) (model.Config, error) {
	c := model.Config{Seed: 1, Scale: 1}
	r := &reader{config: &c, places: map[string]place{}}
	if err := r.read(file, data, 0); err != nil {
		return model.Config{}, err
	}
	r.complete(file)
	r.judge(file)
	if err := errors.Join(r.faults...); err != nil {
		return model.Config{}, err
	}
	return c, nil
}

// read takes a file, after what it extends.
func (r *reader) read(file string, data []byte, depth int) error {
	root, err := mapping(file, data)
	if err != nil {
		return err
	}
	if base := value(root, "extends"); base != nil {
		if depth == mostExtends {
			return fmt.Errorf("%s:%d: extends: %q: more than %d files build on each other; do they go in a circle?", file, base.Line, base.Value, mostExtends)
		}
		baseFile, data, err := find(file, base.Value)
		if err != nil {
			return fmt.Errorf("%s:%d: extends: %w", file, base.Line, err)
		}
		if err := r.read(baseFile, data, depth+1); err != nil {
			return err
		}
		delete(r.places, "name") // each has its own
	}
	r.file = file
	r.walk(root, "", r.keys())
	return nil
}

// find reads what a file extends: a built-in twin, or a file beside it.
func find(file, base string) (string, []byte, error) {
	if isPath(base) && !filepath.IsAbs(base) {
		base = filepath.Join(filepath.Dir(file), base)
	}
	return builtin().Find(base)
}

// isPath says whether a name is that of a file and not of a built-in twin.
func isPath(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.ContainsRune(name, filepath.Separator)
}

// mapping returns the one document of a file.
func mapping(file string, data []byte) (*yaml.Node, error) {
	if len(data) > textfile.MaxBytes {
		return nil, fmt.Errorf("twin file %s: %d bytes; it has at most %d", file, len(data), textfile.MaxBytes)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].Tag == "!!null":
		return nil, fmt.Errorf("twin file %s is empty; it needs rails, lock_out, read, write and more, or extends", file)
	case err != nil:
		return nil, textfile.Located(file, []string{strings.TrimPrefix(err.Error(), "yaml: ")})
	case doc.Content[0].Kind != yaml.MappingNode:
		return nil, fmt.Errorf("%s:%d: a twin file is keys and values", file, doc.Content[0].Line)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("twin file %s: more than one YAML document; keep one a file", file)
	}
	return doc.Content[0], nil
}

// value returns the scalar of a key, or nil.
func value(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key && n.Content[i+1].Kind == yaml.ScalarNode {
			return n.Content[i+1]
		}
	}
	return nil
}
