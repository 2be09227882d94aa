package twinfile

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"powerd/engine/twin/model"
)

// key is one that a twin file may have.
type key struct {
	name  string // below its group
	field string // of model.Config, below its group's; for what the model says
	set   setter
	need  bool // it must be there if its group is

	group []key          // keys below it
	size  func(n int)    // makes room for the elements of a list
	list  func() [][]key // the keys of each element
}

// place is where a key stands.
type place struct {
	file  string
	line  int
	value string // "" for a group
	wrong bool
}

// reader fills a Config from the files of a chain.
type reader struct {
	config *model.Config
	file   string
	places map[string]place // by path: rails.5v.plateaus[0].amps
	faults []error
}

func (r *reader) fault(p place, path, format string, args ...any) {
	p.wrong = true
	r.places[path] = p
	text := path + ": "
	if p.value != "" {
		text += fmt.Sprintf("%.80q: ", p.value)
	}
	r.faults = append(r.faults, fmt.Errorf("%s:%d: %s%s", p.file, max(1, p.line), text, fmt.Sprintf(format, args...)))
}

// walk takes the keys of a mapping.
func (r *reader) walk(n *yaml.Node, above string, keys []key) {
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, v := n.Content[i], n.Content[i+1]
		path := above + name.Value
		p := place{file: r.file, line: name.Line}
		if v.Kind == yaml.ScalarNode {
			p.value = v.Value
		}
		k := named(keys, name.Value)
		if first, twice := seen[name.Value]; twice {
			r.fault(p, path, "it stands in line %d already", first)
			continue
		}
		seen[name.Value] = name.Line
		if k == nil {
			r.fault(place{file: r.file, line: name.Line}, path, "unknown key; there is: %s", names(keys))
			continue
		}
		r.places[path] = p
		r.take(k, v, p, path)
	}
}

// take takes one key.
func (r *reader) take(k *key, v *yaml.Node, p place, path string) {
	switch {
	case v.Kind == yaml.AliasNode:
		r.fault(p, path, "write the value itself here, no alias")
	case k.group != nil && v.Kind != yaml.MappingNode:
		r.fault(p, path, "it has keys below it: %s", names(k.group))
	case k.group != nil:
		r.walk(v, path+".", k.group)
	case k.list != nil && v.Kind != yaml.SequenceNode:
		r.fault(p, path, "it is a list")
	case k.list != nil:
		r.forget(path + "[")
		k.size(len(v.Content))
		for i, keys := range k.list() {
			element := fmt.Sprintf("%s[%d]", path, i)
			at := place{file: r.file, line: v.Content[i].Line}
			r.places[element] = at
			if v.Content[i].Kind != yaml.MappingNode {
				r.fault(at, element, "it has keys: %s", names(keys))
				continue
			}
			r.walk(v.Content[i], element+".", keys)
		}
	case v.Kind != yaml.ScalarNode:
		r.fault(p, path, "one value is wanted here")
	default:
		if err := k.set(v); err != nil {
			r.fault(p, path, "%v", err)
		}
	}
}

// forget takes away what a file before has put into a list.
func (r *reader) forget(prefix string) {
	for path := range r.places {
		if strings.HasPrefix(path, prefix) {
			delete(r.places, path)
		}
	}
}

// complete looks for keys that are not there, in the whole chain.
func (r *reader) complete(file string) {
	if _, ok := r.places["name"]; !ok {
		r.places["name"] = place{file: file, line: 1}
		r.fault(r.places["name"], "name", "the twin needs one, of its own")
	}
	r.places[""] = place{file: file, line: 1}
	r.missing("", r.keys())
}

func (r *reader) missing(above string, keys []key) {
	p := r.places[above]
	for _, k := range keys {
		path := strings.TrimPrefix(above+"."+k.name, ".")
		_, there := r.places[path]
		switch {
		case !there && k.need:
			p.value = ""
			r.fault(p, path, "it is missing")
		case there && k.group != nil:
			r.missing(path, k.group)
		case there && k.list != nil:
			for i, element := range k.list() {
				r.missing(fmt.Sprintf("%s[%d]", path, i), element)
			}
		}
	}
}

// judge asks the model what does not go together, and tells it where it stands.
func (r *reader) judge(file string) {
	paths := map[string]string{}
	fields(paths, "", "", r.keys())
	for _, f := range r.config.Faults() {
		field, _, _ := strings.Cut(f.Field, ",")
		path := paths[field]
		p, there := r.places[path]
		for !there && path != "" {
			path = path[:max(0, strings.LastIndexByte(path, '.'))]
			p, there = r.places[path]
		}
		if path == "" {
			path, p = paths[field], place{file: file, line: 1}
		}
		if !r.wrong(path) {
			r.fault(p, path, "it must be %s", f.Want)
		}
	}
}

// wrong says whether something at or below path was found wrong already.
func (r *reader) wrong(path string) bool {
	for at, p := range r.places {
		if p.wrong && (at == path || strings.HasPrefix(at, path+".") || strings.HasPrefix(at, path+"[")) {
			return true
		}
	}
	return false
}

// fields notes the path of each field of the Config that has a key.
func fields(paths map[string]string, field, path string, keys []key) {
	for _, k := range keys {
		f, p := strings.TrimPrefix(field+"."+k.field, "."), strings.TrimPrefix(path+"."+k.name, ".")
		if k.field == "" {
			f = field
		} else {
			paths[f] = p
		}
		fields(paths, f, p, k.group)
		if k.list != nil {
			for i, element := range k.list() {
				index := fmt.Sprintf("[%d]", i)
				paths[f+index] = p + index
				fields(paths, f+index, p+index, element)
			}
		}
	}
}

func named(keys []key, name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

func names(keys []key) string {
	var all []string
	for _, k := range keys {
		all = append(all, k.name)
	}
	return strings.Join(all, ", ")
}
