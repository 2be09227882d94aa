package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// folder writes files and returns where they are.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func names(p Plan) []string {
	var out []string
	for _, st := range p {
		out = append(out, st.Name)
	}
	return out
}

const baseSuite = `name: base
title: What others stand over
steps:
  - name: settle
    kind: idle
    duration: 1m
  - name: reads
    kind: matrix
    duration: 30s
    ramp: 2s
    fio: {rw: randread, bs: 4k, jobs: 2}
    over: {qd: [1, 32]}
`

// A suite that extends another changes keys of its steps one by one, adds steps behind, and
// takes a key away with ~; all else stays.
func TestExtends(t *testing.T) {
	dir := folder(t, map[string]string{"base.yaml": baseSuite, "mine.yaml": `name: mine
extends: base.yaml
steps:
  - name: reads
    ramp: ~
    fio: {bs: 8k}
    over: {qd: [4]}
  - name: after
    kind: idle
    duration: 10s
`})
	s, err := Find(filepath.Join(dir, "mine.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	plan := s.Plan(Defaults{})
	if got, want := names(plan), []string{"settle", "reads-qd4", "after"}; !reflect.DeepEqual(got, want) {
		t.Fatalf("steps %v, want %v", got, want)
	}
	if s.Name != "mine" || s.Title != "What others stand over" {
		t.Errorf("name %q, title %q", s.Name, s.Title)
	}
	if j := plan[1].Job; j.BlockBytes != 8192 || j.Jobs != 2 || j.RW != "randread" || j.Ramp != 0 || j.Duration != 30*time.Second {
		t.Errorf("the reads are %+v", j)
	}
}

// A step may stand for the steps of another suite, one that is built in or a file beside
// it, in folders too, and those may include others.
func TestInclude(t *testing.T) {
	dir := folder(t, map[string]string{
		"parts/base.yaml":  baseSuite,
		"parts/outer.yaml": "name: outer\nsteps:\n  - include: base.yaml\n",
		"mine.yaml":        "name: mine\nsteps:\n  - {name: first, kind: idle, duration: 1s}\n  - include: parts/outer.yaml\n  - include: idle\n",
	})
	s, err := Find(filepath.Join(dir, "mine.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(s.Plan(Defaults{})), []string{"first", "settle", "reads-qd1", "reads-qd32", "idle"}; !reflect.DeepEqual(got, want) {
		t.Errorf("steps %v, want %v", got, want)
	}
}

// What is kept of a suite stands by itself: read again, without the files that it was
// of, it is the same plan, and the hash is that of its text. A change in a file that is
// included is another hash.
func TestAnExtendedSuiteIsKeptWhole(t *testing.T) {
	files := map[string]string{"base.yaml": baseSuite, "mine.yaml": "name: mine\nextends: base.yaml\nsteps:\n  - {name: reads, duration: 20s}\n"}
	s, err := Find(filepath.Join(folder(t, files), "mine.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("suite.yaml", s.Source)
	if err != nil {
		t.Fatalf("%v in\n%s", err, s.Source)
	}
	if a, b := s.Plan(Defaults{}), again.Plan(Defaults{}); !reflect.DeepEqual(a, b) {
		t.Errorf("the plan was %v, and is %v", names(a), names(b))
	}
	if sum := sha256.Sum256(s.Source); s.SHA256 != hex.EncodeToString(sum[:]) {
		t.Error("the hash is not that of the text")
	}
	files["base.yaml"] = strings.Replace(baseSuite, "randread", "read", 1)
	other, err := Find(filepath.Join(folder(t, files), "mine.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if other.SHA256 == s.SHA256 {
		t.Error("another base has the same hash")
	}
}

// Anchors of one file are resolved before another stands over it: the alias is to what its
// own file says.
func TestAliasesStayWithTheirFile(t *testing.T) {
	dir := folder(t, map[string]string{
		"base.yaml": "name: base\nsteps:\n  - {name: a, kind: load, duration: 1s, fio: &job {rw: read, bs: 4k}}\n  - {name: b, kind: load, duration: 1s, fio: *job}\n",
		"mine.yaml": "name: mine\nextends: base.yaml\nsteps:\n  - {name: a, fio: {bs: 8k}}\n",
	})
	s, err := Find(filepath.Join(dir, "mine.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if plan := s.Plan(Defaults{}); plan[0].Job.BlockBytes != 8192 || plan[1].Job.BlockBytes != 4096 {
		t.Errorf("blocks of %d and %d bytes, want 8192 and 4096", plan[0].Job.BlockBytes, plan[1].Job.BlockBytes)
	}
	if _, err := Parse("suite.yaml", s.Source); err != nil {
		t.Errorf("what is kept of it: %v\n%s", err, s.Source)
	}
}

// Nodes that hold themselves, or multiply, are refused and not followed.
func TestAliasesThatNeverEnd(t *testing.T) {
	bomb := "name: x\n"
	for i := range 9 {
		list := "&a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]"
		if i > 0 {
			list = fmt.Sprintf("&a%d [%s]", i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
		}
		bomb += fmt.Sprintf("k%d: %s\n", i, list)
	}
	for name, text := range map[string]string{
		"in a key that is known":   "name: x\nsteps: &a [*a]\n",
		"in a key that nobody has": "name: x\nfoo: &a [*a]\nsteps:\n  - {name: a, kind: idle, duration: 1s}\n",
		"a bomb":                   bomb,
	} {
		if _, err := Parse("s.yaml", []byte(text)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// A suite of one file is kept as it was written, comments and all.
func TestASuiteOfOneFileIsKeptAsItIs(t *testing.T) {
	const text = "# mine\nname: x\nsteps:\n  - {name: a, kind: idle, duration: 1s} # short\n"
	s, err := Parse("s.yaml", []byte(text))
	if err != nil || string(s.Source) != text {
		t.Errorf("%v\n%s", err, s.Source)
	}
}

// Faults name the file that they stand in, all at once; a suite that holds itself is told
// by which way.
func TestFaultsOfSeveralFiles(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"in the file that is extended, and in the one that extends it": {
			map[string]string{
				"mine.yaml": "name: mine\nextends: base.yaml\nsteps:\n  - {name: b, kind: sleep, duration: 1s}\n",
				"base.yaml": "name: base\nsteps:\n  - name: a\n    kind: load\n    duration: 1s\n    fio: {rw: read, bs: 5}\n",
			},
			[]string{"mine.yaml:4: kind: \"sleep\"", "base.yaml:3: fio.bs: 5"},
		},
		"a key that nobody knows, beside a fault of another step": {
			map[string]string{
				"mine.yaml": "name: mine\nsteps:\n  - include: base.yaml\n  - {name: b, kind: idle, duration: 1s, settle: {mean: 500ms}}\n",
				"base.yaml": "name: base\nsteps:\n  - name: a\n    kind: load\n    duratoin: 1s\n",
			},
			[]string{"base.yaml:5: unknown key duratoin", "mine.yaml:4: settle.mean"},
		},
		"itself": {map[string]string{"mine.yaml": "name: mine\nextends: mine.yaml\n"}, []string{"mine.yaml:2: extends:", "holds itself: "}},
		"itself, by another": {
			map[string]string{"mine.yaml": "name: mine\nsteps:\n  - include: b.yaml\n", "b.yaml": "name: b\nextends: mine.yaml\n"},
			[]string{"b.yaml:2: extends:", "b.yaml → ", "holds itself"},
		},
		"none of that name": {map[string]string{"mine.yaml": "name: mine\nextends: nobody\n"}, []string{"mine.yaml:2: extends: no suite", "it is neither a file nor built in (consistency, demo"}},
		"more than include": {
			map[string]string{"mine.yaml": "name: mine\nsteps:\n  - {include: idle, duration: 5s}\n"},
			[]string{"mine.yaml:3: include: it stands alone"},
		},
		"a name in two files": {
			map[string]string{"mine.yaml": "name: mine\nsteps:\n  - {name: idle, kind: idle, duration: 5s}\n  - include: idle\n"},
			[]string{"idle.yaml:4: name: \"idle\" stands in line 3 already"},
		},
	} {
		dir := folder(t, c.files)
		_, err := Find(filepath.Join(dir, "mine.yaml"))
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v\nwant %q", name, err, want)
			}
		}
	}
}

// What comes over a network includes built-in suites, and no files of the machine that it
// runs on.
func TestATextIncludesNoFiles(t *testing.T) {
	if s, err := Parse("suite", []byte("name: x\nextends: idle\n")); err != nil || len(s.Steps) != 1 {
		t.Errorf("a built-in one: %v", err)
	}
	dir := folder(t, map[string]string{"base.yaml": baseSuite})
	_, err := Parse("suite", []byte("name: x\nextends: "+filepath.Join(dir, "base.yaml")+"\n"))
	if err == nil || !strings.Contains(err.Error(), "suite:2: extends: no suite") {
		t.Errorf("a file: %v", err)
	}
}

// Files that include each other twice and more are many before anybody sees it: 2⁷ of
// them here, and more than a suite may have.
func TestASuiteOfTooManyFiles(t *testing.T) {
	files := map[string]string{"7.yaml": "name: end\nsteps:\n  - {name: a, kind: idle, duration: 1s}\n"}
	for i := range 7 {
		next := string(rune('1' + i))
		files[string(rune('0'+i))+".yaml"] = "name: n\nsteps:\n  - include: " + next + ".yaml\n  - include: " + next + ".yaml\n"
	}
	_, err := Find(filepath.Join(folder(t, files), "0.yaml"))
	if err == nil || !strings.Contains(err.Error(), "a suite is of up to 100 files") {
		t.Error(err)
	}
}

// Half a queue is none: where a number must be whole, a broken one is refused with its
// line, and not cut. Times and shares may be broken.
func TestBrokenNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"fio: {rw: read, bs: 4k, qd: 32.5}":               "b.yaml:3: qd: 32.5 is no whole number",
		"fio: {rw: randrw, bs: 4k, read_pct: 70.5}":       "b.yaml:3: read_pct: 70.5 is no whole number",
		"fio: {rw: read, bs: 4k}, rounds: 2.5":            "b.yaml:3: rounds: 2.5 is no whole number",
		"fio: {rw: write, bs: 4k}, until_written: 0.5":    "",
		"fio: {rw: write, bs: 4k}, ramp: 1ms":             "",
		"fio: {rw: write, bs: 4k}, range: 12.5%":          "",
		"fio: {rw: read, bs: 4k}, on_twin: {qd: 1.5}":     "b.yaml:3: qd: 1.5 is no whole number",
		"fio: {rw: read, bs: 4k, jobs: 1e1}, ramp: 500ms": "b.yaml:3: jobs: 1e1 is no whole number",
	} {
		_, err := Parse("b.yaml", []byte("name: b\nsteps:\n  - {name: x, kind: load, duration: 1s, "+text+"}\n"))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A millisecond is a slip of the pen: nothing can be told of it.
func TestStepsThatAreTooShort(t *testing.T) {
	for _, kind := range []string{"kind: idle", "kind: load, fio: {rw: read, bs: 4k}"} {
		_, err := Parse("b.yaml", []byte("name: b\nsteps:\n  - {name: x, duration: 1ms, "+kind+"}\n"))
		if err == nil || !strings.Contains(err.Error(), "b.yaml:3: duration: 1ms: it is 100ms at least") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
