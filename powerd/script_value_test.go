package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// jsonValue holds a value of a JSON file to what it should be. A path is made of
// keys and of elements: efficiency[step=read].rails.5v.mean_w, steps[0].outcome.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: json FILE PATH OP [VALUE], OP one of = != < <= > >= like absent count")
	}
	got, found := lookUp(ts, args[0], args[1])
	switch {
	case args[2] == "absent":
		if found {
			ts.Fatalf("%s: %s is %v, and should not be there", args[0], args[1], got)
		}
		return
	case !found:
		ts.Fatalf("%s: there is no %s", args[0], args[1])
	case len(args) != 4:
		ts.Fatalf("json: %s needs a value", args[2])
	}
	hold(ts, args[1], got, args[2], args[3])
}

// hold fails the script unless got OP want.
func hold(ts *testscript.TestScript, what string, got any, op, want string) {
	ok := false
	switch op {
	case "=":
		ok = text(got) == want
	case "!=":
		ok = text(got) != want
	case "like":
		ok = regexp.MustCompile(want).MatchString(text(got))
	case "count":
		list, isList := got.([]any)
		ok = isList && strconv.Itoa(len(list)) == want
	default:
		ok = compare(ts, float(ts, what, got), op, want)
	}
	if !ok {
		ts.Fatalf("%s is %s, want %s %s", what, text(got), op, want)
	}
}

func compare(ts *testscript.TestScript, got float64, op, want string) bool {
	w, err := strconv.ParseFloat(want, 64)
	ts.Check(err)
	switch op {
	case "<":
		return got < w
	case "<=":
		return got <= w
	case ">":
		return got > w
	case ">=":
		return got >= w
	}
	ts.Fatalf("no comparison is called %q", op)
	return false
}

func text(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		return x
	case json.Number:
		return x.String()
	case []byte:
		return string(x)
	case int64, float64, bool:
		return fmt.Sprint(x)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func float(ts *testscript.TestScript, what string, v any) float64 {
	f, err := strconv.ParseFloat(text(v), 64)
	if err != nil {
		ts.Fatalf("%s is %s, which is no number", what, text(v))
	}
	return f
}

func numberAt(ts *testscript.TestScript, file, path string) float64 {
	v, found := lookUp(ts, file, path)
	if !found {
		ts.Fatalf("%s: there is no %s", file, path)
	}
	return float(ts, path, v)
}

func near(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: near FILE PATH FILE PATH TOLERANCE")
	}
	got, want := numberAt(ts, args[0], args[1]), numberAt(ts, args[2], args[3])
	var most float64
	if path, ok := strings.CutPrefix(args[4], "@"); ok {
		most = numberAt(ts, args[0], path)
	} else if share, ok := strings.CutSuffix(args[4], "%"); ok {
		most = math.Abs(want) * float(ts, "tolerance", share) / 100
	} else {
		most = float(ts, "tolerance", args[4])
	}
	ts.Logf("%s: %v, true %v, off by %v of %v", args[1], got, want, got-want, most)
	if !(math.Abs(got-want) <= most) {
		ts.Fatalf("%s of %s is %v; %s of %s is %v: more than %v off", args[1], args[0], got, args[3], args[2], want, most)
	}
}

func notBelow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: not-below FILE PATH FILE PATH SLACK")
	}
	upper, lower := numberAt(ts, args[0], args[1]), numberAt(ts, args[2], args[3])
	ts.Logf("%s is %v above %s", args[1], upper-lower, args[3])
	if !(upper >= lower-float(ts, "slack", args[4])) {
		ts.Fatalf("%s of %s is %v, below %s of %s, which is %v", args[1], args[0], upper, args[3], args[2], lower)
	}
}

func lookUp(ts *testscript.TestScript, file, path string) (v any, found bool) {
	d := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(file))))
	d.UseNumber()
	ts.Check(d.Decode(&v))
	v, found, err := walk(v, path)
	if err != nil {
		ts.Fatalf("%s: %v", file, err)
	}
	return v, found
}

// walk follows a path.
func walk(v any, path string) (any, bool, error) {
	element := regexp.MustCompile(`^([^\[\]]*)(?:\[([^\]]+)\])?$`)
	for part := range strings.SplitSeq(path, ".") {
		m := element.FindStringSubmatch(part)
		if m == nil {
			return nil, false, fmt.Errorf("path %s: cannot read %q", path, part)
		}
		if m[1] != "" {
			object, _ := v.(map[string]any)
			var ok bool
			if v, ok = object[m[1]]; !ok {
				return nil, false, nil
			}
		}
		if m[2] != "" {
			list, _ := v.([]any)
			var ok bool
			if v, ok = pick(list, m[2]); !ok {
				return nil, false, nil
			}
		}
	}
	return v, true, nil
}

// pick returns an element by its index, the last one of those that have a key=value, or
// the one in which a key is least (min:key).
func pick(list []any, which string) (any, bool) {
	if key, least := strings.CutPrefix(which, "min:"); least {
		return smallest(list, key)
	}
	key, want, named := strings.Cut(which, "=")
	if !named {
		i, err := strconv.Atoi(which)
		if err != nil || i < 0 || i >= len(list) {
			return nil, false
		}
		return list[i], true
	}
	for _, e := range slices.Backward(list) {
		if object, ok := e.(map[string]any); ok && text(object[key]) == want {
			return e, true
		}
	}
	return nil, false
}

// let sets a variable to a value of a file.
func let(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: let NAME FILE PATH")
	}
	v, found := lookUp(ts, args[1], args[2])
	if !found {
		ts.Fatalf("%s: there is no %s", args[1], args[2])
	}
	ts.Setenv(args[0], text(v))
}

func smallest(list []any, key string) (any, bool) {
	var best any
	least := math.Inf(1)
	for _, e := range list {
		object, _ := e.(map[string]any)
		if f, err := strconv.ParseFloat(text(object[key]), 64); err == nil && f < least {
			best, least = e, f
		}
	}
	return best, best != nil
}
