package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"powerd/configs"
	"powerd/powerd/internal/textfile"
)

// AddBench writes a bench into a file of settings, which is made if there is none. All
// that stands there stays as it is, comments and order included; the file as it was
// is kept as backup ("" if there was none). A bench that contradicts what the file says
// is refused, and the file is not touched.
func AddBench(path string, n NewBench) (backup string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write bench %s into %s: %w", n.Name, path, err)
		}
	}()
	real := path
	if to, err := filepath.EvalSymlinks(path); err == nil {
		real = to // a link stays one
	}
	old, err := textfile.Read(real)
	if errors.Is(err, fs.ErrNotExist) {
		data, err := withBench(path, nil, n)
		if err != nil {
			return "", err
		}
		if err := os.MkdirAll(filepath.Dir(real), 0o755); err != nil {
			return "", err
		}
		return "", replaceFile(real, data, nil)
	}
	if err != nil {
		return "", err
	}
	data, err := withBench(path, old, n)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	backup = real + ".bak"
	if err := replaceFile(backup, old, info); err != nil {
		return "", err
	}
	return backup, replaceFile(real, data, info)
}

// withBench returns the text of a file with a bench more, and makes sure that it says
// what it said before and the bench.
func withBench(file string, old []byte, n NewBench) ([]byte, error) {
	before, err := readFile(FromFile, file, old)
	if err != nil {
		return nil, err
	}
	data, err := insert(old, n)
	if err != nil {
		return nil, err
	}
	after, err := readFile(FromFile, file, data)
	if err != nil {
		return nil, errors.Join(byHand(n), err)
	}
	for k, v := range before.values {
		if after.values[k].text != v.text {
			return nil, fmt.Errorf("%s would change: %w", k, byHand(n))
		}
	}
	defaults, err := readFile(FromDefault, "powerd.yaml (built in)", configs.Defaults)
	if err != nil {
		return nil, err
	}
	c, err := merge(defaults, after, settings{}, settings{})
	if err != nil {
		return nil, err
	}
	if b := c.Benches[n.Name]; b.Module.Serial != n.Module || b.Module.Port != n.Port || b.Target != n.Target || !slices.Equal(b.Rails, n.Rails) {
		return nil, byHand(n)
	}
	return data, nil
}

// insert puts a bench below `benches:`, behind the other benches where these end the
// file, else before them.
func insert(old []byte, n NewBench) ([]byte, error) {
	const head = "# Settings of powerd: what differs from the defaults. `powerd config show` shows all.\n\n"
	var doc yaml.Node
	if err := yaml.Unmarshal(old, &doc); err != nil {
		return nil, err
	}
	text := withNewline(old)
	switch {
	case len(old) == 0:
		return []byte(head + "benches:\n" + n.Text()), nil
	case doc.Kind == 0: // comments only
		return append(text, "\nbenches:\n"+n.Text()...), nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return nil, byHand(n)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Value != "benches" {
			continue
		}
		last := i+2 == len(root.Content)
		return below(text, key, value, last, n)
	}
	return append(text, "\nbenches:\n"+n.Text()...), nil
}

// below puts a bench into the value of `benches`.
func below(text []byte, key, value *yaml.Node, last bool, n NewBench) ([]byte, error) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := key.Line // of the line after the key's
	bench := n.Text()
	switch {
	case value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle != 0 && len(value.Content) == 0 && value.Line == key.Line:
		own := lines[at-1]
		lines[at-1] = bytes.Replace(own, []byte("{}"), nil, 1)
		if bytes.Equal(lines[at-1], own) {
			return nil, byHand(n)
		}
		lines[at-1] = append(bytes.TrimRight(lines[at-1], " \r\n"), '\n')
	case value.Kind == yaml.ScalarNode && value.Tag == "!!null" && value.Value == "":
	case value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle == 0:
		bench = indented(bench, value.Column-1)
		if last {
			at = len(lines)
		}
	default:
		return nil, byHand(n)
	}
	return bytes.Join(slices.Insert(lines, at, []byte(bench)), nil), nil
}

// indented moves a bench as far to the right as its neighbours stand.
func indented(bench string, columns int) string {
	var out []byte
	for line := range bytes.Lines([]byte(bench)) {
		out = append(out, bytes.Repeat([]byte(" "), columns)...)
		out = append(out, line[2:]...) // Text indents by two
	}
	return string(out)
}

func withNewline(text []byte) []byte {
	text = bytes.Clone(text)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

// byHand shows what could not be inserted.
func byHand(n NewBench) error {
	return fmt.Errorf("the file is written in a way that a program should not edit; put this into it yourself, below a line `benches:` of its own:\n%s", n.Text())
}

// replaceFile writes a whole file or none of it, with the rights of the one that was
// there (nil = none was): settings may hold a token.
func replaceFile(path string, data []byte, was os.FileInfo) (err error) {
	mode := os.FileMode(0o644)
	if was != nil {
		mode = was.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if was != nil {
		err = keepOwner(f, was)
	}
	_, wrote := f.Write(data)
	if err := errors.Join(err, wrote, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
