package runs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"powerd/analysis/efficiency"
	"powerd/powerd/internal/results"
)

// metaFile is what is known of a run before its first step has ended.
const metaFile = "capture/meta.json"

// about is what results.json says; the run's meta has the same keys.
type about struct {
	Run struct {
		ID         string `json:"id"`
		StartedUTC string `json:"started_utc"`
		Outcome    string `json:"outcome"`
		Why        string `json:"why"`
	} `json:"run"`
	Suite struct {
		Name      string `json:"name"`
		Simulated bool   `json:"simulated"`
	} `json:"suite"`
	Bench struct {
		Name string `json:"name"`
	} `json:"bench"`
	Drive struct {
		Vendor string `json:"vendor"`
		Model  string `json:"model"`
		Serial string `json:"serial"`
		Target string `json:"target"`
		File   string `json:"file"`
	} `json:"drive"`
	Module struct {
		Serial string `json:"serial"`
	} `json:"module"`
	Idle struct {
		Total struct {
			MeanW figure `json:"mean_w"`
		} `json:"total"`
	} `json:"idle"`
	Efficiency []struct {
		State     string `json:"state"`
		IOPSPerMW figure `json:"iops_per_mw"`
	} `json:"efficiency"`
}

// figure is a number, or nil where there is none: for a value of another kind a
// *float64 would point to 0.
type figure struct{ value *float64 }

// UnmarshalJSON never fails.
func (f *figure) UnmarshalJSON(b []byte) error {
	var x *float64
	if json.Unmarshal(b, &x) == nil {
		f.value = x
	}
	return nil
}

// read returns the run in dir; ok is false where there is none.
func read(dir string) (r Run, ok bool) {
	r = Run{Dir: dir, ID: filepath.Base(dir)}
	var a about
	err := load(filepath.Join(dir, results.File), &a)
	if errors.Is(err, fs.ErrNotExist) {
		var meta struct{ Run about } // what was known before the first step ended
		err = load(filepath.Join(dir, metaFile), &meta)
		a = meta.Run
	}
	var status struct {
		Outcome string `json:"outcome"`
	}
	statusErr := load(filepath.Join(dir, results.StatusFile), &status)
	if errors.Is(err, fs.ErrNotExist) {
		if errors.Is(statusErr, fs.ErrNotExist) {
			return r, false
		}
		err = statusErr
	}
	if err != nil {
		r.Outcome, r.Why = Unreadable, err.Error()
		return r, true
	}
	r.fill(&a)
	r.Outcome, r.Why = ended(dir, a.Run.Outcome, status.Outcome), a.Run.Why
	return r, true
}

func (r *Run) fill(a *about) {
	if a.Run.ID != "" {
		r.ID = a.Run.ID
	}
	r.Suite, r.Simulated, r.Bench = a.Suite.Name, a.Suite.Simulated, a.Bench.Name
	r.DriveFile, r.DriveSerial, r.Module = a.Drive.File, a.Drive.Serial, a.Module.Serial
	r.Drive = strings.Join(strings.Fields(a.Drive.Vendor+" "+a.Drive.Model), " ")
	if r.Drive == "" && a.Drive.Target != "" {
		r.Drive = filepath.Base(a.Drive.Target)
	}
	r.Drive = cmp.Or(r.Drive, r.DriveFile)
	if t, err := time.Parse(time.RFC3339Nano, a.Run.StartedUTC); err == nil {
		r.Started = t.UTC()
	}
	r.IdleW = a.Idle.Total.MeanW.value
	judged := false // what is steady goes before what may be fresh
	for _, c := range a.Efficiency {
		x, steady := c.IOPSPerMW.value, c.State == efficiency.StateSteady
		if x != nil && (r.BestIOPSPerMW == nil || steady && !judged || steady == judged && *x > *r.BestIOPSPerMW) {
			r.BestIOPSPerMW, judged = x, steady
		}
	}
}

// ended tells a run that goes on from one that was cut off. The status speaks last
// while it runs, the results where they were computed again since.
func ended(dir, inResults, inStatus string) string {
	for _, o := range []string{inResults, inStatus} {
		if o != "" && o != results.Running {
			return o
		}
	}
	if results.Held(dir) {
		return results.Running
	}
	return CutOff
}

// load reads JSON as far as it fits: a value of another kind than expected is left
// out, as it is another version's.
func load(path string, to any) error {
	b, err := readAll(path)
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	var kind *json.UnmarshalTypeError
	if err := json.Unmarshal(b, to); err != nil && !errors.As(err, &kind) {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// readAll does not wait for a writer where somebody has put a pipe into the folder.
func readAll(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
