package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrNoResults says that a file holds no results.
var ErrNoResults = errors.New("it holds no results of powerd")

// schemaFamily begins the name of every version of the document.
const schemaFamily = "powerd.results/"

// Load reads results.json as any released powerd has written it: keys are only ever
// added, so an older document lacks some, and what a newer one has beyond them is left
// out, with a warning. It has no folder: what needs one (pictures, matrices, judged
// rounds) is not to be asked of it.
func Load(path string) (*Document, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe there keeps nobody waiting
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	d, err := Decode(b)
	if err != nil {
		return nil, fmt.Errorf("read results %s: %w", path, err)
	}
	return d, nil
}

// Decode reads the bytes of results.json.
func Decode(b []byte) (*Document, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoResults, err)
	}
	text, ours := strings.CutPrefix(head.Schema, schemaFamily)
	version, err := strconv.Atoi(text)
	if !ours || err != nil || version < 1 {
		return nil, fmt.Errorf("%w: its schema is %q, and not %s1", ErrNoResults, head.Schema, schemaFamily)
	}
	if bytes.Contains(b, []byte("null")) {
		if b, err = withoutNulls(b); err != nil {
			return nil, fmt.Errorf("schema %s: %w", head.Schema, err)
		}
	}
	d := &Document{}
	if err := json.Unmarshal(b, d); err != nil {
		return nil, fmt.Errorf("schema %s: %w", head.Schema, err)
	}
	if head.Schema != Schema {
		d.warn("newer_results", fmt.Sprintf("these results are of schema %s; this powerd knows %s, and what came later is not looked at", head.Schema, Schema))
	}
	for _, c := range d.Efficiency { // each knows the reasons of what it lacks
		c.Withheld = d.Withheld
	}
	return d, nil
}

// withoutNulls leaves out what is null: powerd writes none, and whoever does means what
// is absent.
func withoutNulls(b []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber()
	var x any
	if err := decoder.Decode(&x); err != nil {
		return nil, err
	}
	return json.Marshal(dropNulls(x))
}

func dropNulls(x any) any {
	switch x := x.(type) {
	case map[string]any:
		for k, v := range x {
			if v == nil {
				delete(x, k)
			} else {
				x[k] = dropNulls(v)
			}
		}
	case []any:
		kept := []any{}
		for _, v := range x {
			if v != nil {
				kept = append(kept, dropNulls(v))
			}
		}
		return kept
	}
	return x
}
