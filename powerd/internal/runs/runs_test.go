package runs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"powerd/powerd/internal/results"
)

// folder makes a run's folder with the files given as name, content, ….
func folder(t *testing.T, root, name string, files ...string) string {
	t.Helper()
	dir := filepath.Join(root, name)
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A pipe that nobody writes to, in the place of a run's file: the list does not wait.
func TestPipeInAFolder(t *testing.T) {
	root := t.TempDir()
	dir := folder(t, root, "odd", results.StatusFile, "")
	pipe := filepath.Join(dir, results.File)
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("make a pipe:", err)
	}
	list, err := List(root)
	if err != nil || len(list) != 1 || list[0].Outcome != Unreadable {
		t.Errorf("%+v, %v", list, err)
	}
}

func held(t *testing.T, dir string) {
	t.Helper()
	hold, err := results.Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hold.Close() })
}

const done = `{"schema": "powerd.results/1",
 "run": {"id": "20261130T100000.000Z-demo-X1", "started_utc": "2026-11-30T10:00:00Z", "outcome": "completed"},
 "suite": {"name": "demo", "simulated": true}, "bench": {"name": "left"},
 "drive": {"model": "X1", "serial": "S1"}, "module": {"serial": "QTL1999-02-001"},
 "idle": {"total": {"mean_w": 2.72}},
 "efficiency": [{"iops_per_mw": 12.5}, {}, {"iops_per_mw": 17.25}, {"iops_per_mw": 3}]}`

const begun = `{"schema": "powerd.capture/1", "run": {"run": {"id": "R2", "started_utc": "2026-11-30T11:00:00Z", "outcome": "running"},
 "suite": {"name": "idle"}, "drive": {"model": "X2"}}}`

// A list is what stands in the folders, newest first: one that is done, one whose
// first step is under way, one that was killed there, and the one whose results
// cannot be read, which hides none of the others. Other things in the folder are
// no runs.
func TestListTellsRunsApart(t *testing.T) {
	root := t.TempDir()
	folder(t, root, "a", "results.json", done, "status.json", `{"outcome": "completed"}`)
	live := folder(t, root, "b", "capture/meta.json", begun, "status.json", `{"outcome": "running"}`)
	held(t, live)
	folder(t, root, "c", "capture/meta.json", strings.Replace(begun, "T11:", "T12:", 1), "status.json", `{"outcome": "running"}`)
	folder(t, root, "d", "results.json", `{"run": {"id": "R4"`)
	folder(t, root, "no-run", "notes.txt", "mine")
	if err := os.WriteFile(filepath.Join(root, "powerd.db"), nil, 0o644); err != nil {
		t.Fatal(err)
	}

	list, err := List(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range list {
		got = append(got, filepath.Base(r.Dir)+" "+r.Outcome)
	}
	want := []string{"c cut off", "b running", "a completed", "d unreadable"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	a := list[2]
	if a.ID != "20261130T100000.000Z-demo-X1" || a.Suite != "demo" || a.Bench != "left" || a.Drive != "X1" || a.DriveSerial != "S1" ||
		a.Module != "QTL1999-02-001" || !a.Simulated || *a.IdleW != 2.72 || *a.BestIOPSPerMW != 17.25 {
		t.Errorf("run a: %+v", a)
	}
	if b := list[1]; b.ID != "R2" || b.Suite != "idle" || b.Drive != "X2" || b.IdleW != nil || b.BestIOPSPerMW != nil {
		t.Errorf("run b: %+v", b)
	}
	if d := list[3]; d.ID != "d" || !strings.Contains(d.Why, filepath.Join(root, "d", "results.json")) {
		t.Errorf("run d: %+v, want the file's name", d)
	}
}

// Looking at a run that goes on takes nothing away from it: its lock stays its own,
// and a folder that was looked at can be held at once.
func TestLookingTakesNoLock(t *testing.T) {
	root := t.TempDir()
	dir := folder(t, root, "b", "capture/meta.json", begun)
	if r, err := Open(dir); err != nil || r.Outcome != CutOff {
		t.Fatalf("%+v, %v", r, err)
	}
	held(t, dir)
	if r, err := Open(dir); err != nil || !r.Live() {
		t.Errorf("%+v, %v, want it running", r, err)
	}
	if _, err := results.Hold(dir); !errors.Is(err, results.ErrHeld) {
		t.Errorf("hold again: %v, want ErrHeld", err)
	}
}

// The status of a run that was cut off says "running" for ever; its results say
// what they were computed as since.
func TestResultsComputedAgainSpeakForACutRun(t *testing.T) {
	root := t.TempDir()
	dir := folder(t, root, "a", "results.json", strings.Replace(done, "completed", "interrupted", 1), "status.json", `{"outcome": "running"}`)
	if r, err := Open(dir); err != nil || r.Outcome != results.Interrupted {
		t.Errorf("outcome %q, %v, want interrupted", r.Outcome, err)
	}
}

// Another version's value of another kind is left out; the rest is understood.
func TestValueOfAnotherKindIsLeftOut(t *testing.T) {
	root := t.TempDir()
	dir := folder(t, root, "a", "results.json", strings.Replace(done, "2.72", `"2.72 W"`, 1))
	r, err := Open(dir)
	if err != nil || r.IdleW != nil || r.BestIOPSPerMW == nil || *r.BestIOPSPerMW != 17.25 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCurrentIsTheOneUnderWay(t *testing.T) {
	root := t.TempDir()
	if _, err := Current(filepath.Join(root, "none")); !errors.Is(err, ErrNone) {
		t.Errorf("no folder: %v, want ErrNone", err)
	}
	folder(t, root, "a", "results.json", done)
	if _, err := Current(root); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), root) {
		t.Errorf("none: %v, want ErrNone naming the folder", err)
	}
	b := folder(t, root, "b", "capture/meta.json", begun)
	held(t, b)
	if r, err := Current(root); err != nil || r.Dir != b {
		t.Errorf("one: %+v, %v, want %s", r, err, b)
	}
	c := folder(t, root, "c", "capture/meta.json", begun)
	held(t, c)
	if _, err := Current(root); err == nil || !strings.Contains(err.Error(), b) || !strings.Contains(err.Error(), c) {
		t.Errorf("two: %v, want both named", err)
	}
}

func TestAllWordsMustOccur(t *testing.T) {
	root := t.TempDir()
	r, err := Open(folder(t, root, "a", "results.json", done))
	if err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]bool{
		"": true, "DEMO": true, "demo left x1": true, "2026-11-30 s1": true, "completed qtl1999": true,
		"demo right": false, "failed": false,
	} {
		if got := r.Matches(strings.Fields(words)); got != want {
			t.Errorf("%q: %v, want %v", words, got, want)
		}
	}
}

// Whatever stands in the file, reading it ends with a run.
func FuzzResults(f *testing.F) {
	for _, s := range []string{done, begun, "", "null", "[]", `{"run": 3}`, `{"efficiency": {}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		root := t.TempDir()
		folder(t, root, "a", "results.json", string(b))
		list, err := List(root)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d runs, %v", len(list), err)
		}
		if !slices.Contains([]string{CutOff, Unreadable}, list[0].Outcome) && list[0].Outcome == "" {
			t.Errorf("outcome %q", list[0].Outcome)
		}
	})
}

// A drive is called as its report calls it: by vendor and model, else by what was opened,
// else by its drive file, whose name finds the run in any case.
func TestDriveOfARun(t *testing.T) {
	root := t.TempDir()
	for drive, want := range map[string]string{
		`{"vendor": "Acme", "model": "X1", "target": "/dev/sdx", "file": "seagate-1200-400"}`: "Acme X1",
		`{"target": "/mnt/twin/drive", "file": "seagate-1200-400"}`:                           "drive",
		`{"file": "seagate-1200-400"}`:                                                        "seagate-1200-400",
	} {
		dir := folder(t, root, strings.ReplaceAll(want, " ", "-"), results.File, `{"run": {"id": "r", "outcome": "completed"}, "suite": {"name": "idle"}, "drive": `+drive+`}`)
		r, err := Open(dir)
		if err != nil || r.Drive != want || r.DriveFile != "seagate-1200-400" {
			t.Errorf("%+v, %v; want drive %q", r, err, want)
		}
		if !r.Matches([]string{"idle", "1200"}) {
			t.Errorf("%s is not found by its drive file", want)
		}
	}
}
