package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"powerd/powerd/internal/results"
)

// Outcomes beside those of package results.
const (
	CutOff     = "cut off"    // it says that it runs, but nobody is at work there
	Unreadable = "unreadable" // Why says what is wrong
)

// Run is one run as its folder tells it. What the folder does not say is empty or
// nil.
type Run struct {
	Dir         string    `json:"dir"`
	ID          string    `json:"id"` // name of the folder if it does not say
	Suite       string    `json:"suite,omitempty"`
	Bench       string    `json:"bench,omitempty"`
	Drive       string    `json:"drive,omitempty"`      // vendor and model, else what was opened, else its drive file
	DriveFile   string    `json:"drive_file,omitempty"` // that it is held against
	DriveSerial string    `json:"drive_serial,omitempty"`
	Module      string    `json:"module,omitempty"` // serial number
	Simulated   bool      `json:"simulated,omitempty"`
	Started     time.Time `json:"started_utc,omitzero"`
	Outcome     string    `json:"outcome"` // of package results, CutOff, or Unreadable
	Why         string    `json:"why,omitempty"`

	IdleW         *float64 `json:"idle_w,omitempty"` // mean of the first idle step
	BestIOPSPerMW *float64 `json:"best_iops_per_mw,omitempty"`
}

// Live reports whether the run is under way.
func (r Run) Live() bool { return r.Outcome == results.Running }

// List returns the runs right below root, newest first. A root that does not exist
// holds none.
func List(root string) ([]Run, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var list []Run
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if st, err := os.Stat(dir); err != nil || !st.IsDir() { // through links
			continue
		}
		if r, ok := read(dir); ok {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b Run) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID))
	})
	return list, nil
}

// Current returns the run that is under way below root. None or several are an
// error that says so; none is ErrNone.
func Current(root string) (Run, error) {
	list, err := List(root)
	if err != nil {
		return Run{}, err
	}
	live := slices.DeleteFunc(list, func(r Run) bool { return !r.Live() })
	switch len(live) {
	case 0:
		return Run{}, fmt.Errorf("%w in %s; name its folder if it is elsewhere, `powerd runs` lists what there is", ErrNone, root)
	case 1:
		return live[0], nil
	}
	var names []string
	for _, r := range live {
		names = append(names, r.Dir)
	}
	return Run{}, fmt.Errorf("%d runs are under way in %s; name one of them:\n%s", len(live), root, strings.Join(names, "\n"))
}

// ErrNone says that no run is under way.
var ErrNone = errors.New("no run is under way")

// Open reads the run in dir.
func Open(dir string) (Run, error) {
	if _, err := os.Stat(dir); err != nil {
		return Run{}, fmt.Errorf("open run: %w; `powerd runs` lists what there is", err)
	}
	r, ok := read(dir)
	switch {
	case !ok:
		return Run{}, fmt.Errorf("open run %s: no run has begun there; `powerd runs` lists what there is", dir)
	case r.Outcome == Unreadable:
		return r, fmt.Errorf("open run %s: %s", dir, r.Why)
	}
	return r, nil
}

// Matches reports whether every word occurs in what is shown of the run, in
// whatever case.
func (r Run) Matches(words []string) bool {
	text := strings.ToLower(strings.Join([]string{
		r.Dir, r.ID, r.Suite, r.Bench, r.Drive, r.DriveFile, r.DriveSerial, r.Module, r.Outcome, r.Started.UTC().Format(time.DateTime),
	}, "\n"))
	for _, w := range words {
		if !strings.Contains(text, strings.ToLower(w)) {
			return false
		}
	}
	return true
}
