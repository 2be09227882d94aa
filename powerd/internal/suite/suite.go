package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"powerd/configs"
	"powerd/powerd/internal/textfile"
)

// Suite is a suite file.
type Suite struct {
	Name    string     `yaml:"name"`
	Title   string     `yaml:"title"`
	Extends string     `yaml:"extends"` // another suite, whose steps these stand over
	Steps   []FileStep `yaml:"steps"`

	OnFailure string `yaml:"on_failure"` // of a step: Continue or Stop; empty = Continue

	SHA256 string `yaml:"-"` // of Source
	Source []byte `yaml:"-"` // the file, or one that holds it and all that it extends and includes
}

// FileStep is one entry of a file's steps.
type FileStep struct {
	Name       string   `yaml:"name"`
	Kind       string   `yaml:"kind"`
	Duration   Duration `yaml:"duration"`
	Ramp       Duration `yaml:"ramp"`     // of a load: before what is measured
	OffTime    Duration `yaml:"off_time"` // of a power cycle
	Sampling   Duration `yaml:"sampling"`
	Fio        *Fio     `yaml:"fio"`
	Over       *Over    `yaml:"over"`   // of a matrix
	Order      []string `yaml:"order"`  // of the lists in it, the first one slowest; empty: listOrder
	Range      *Range   `yaml:"range"`  // of the drive that a load goes over
	Settle     *Settle  `yaml:"settle"` // of an idle step: wait for that first
	Cycles     int      `yaml:"cycles"` // of a power cycle: that many, each a step of its own
	Repeat     `yaml:",inline"`
	Pausing    `yaml:",inline"` // of a recovery
	Commanding `yaml:",inline"` // of a command or purge
	Vary       *Vary            `yaml:"vary"`        // of a command: once a setting, with all that follows
	Demands    Demands          `yaml:"demand_iops"` // of a demand ramp
	OnTwin     *Trial           `yaml:"on_twin"`     // what an emulated drive gets instead

	Precondition *Precondition `yaml:"precondition"` // what is written first
	Include      string        `yaml:"include"`      // in place of all else: the steps of another suite

	OnFailure string `yaml:"on_failure"` // instead of the suite's

	line int
}

// Fio is a job.
type Fio struct {
	RW       string `yaml:"rw"`
	BS       Bytes  `yaml:"bs"`
	ReadPct  int    `yaml:"read_pct"` // of rw and randrw
	QD       int    `yaml:"qd"`
	Jobs     int    `yaml:"jobs"`
	Size     Bytes  `yaml:"size"`    // region from the start; 0 = all of the target
	Entropy  *int   `yaml:"entropy"` // of what is written, in percent; nil = 100, random
	IOEngine string `yaml:"ioengine"`
	RateIOPS int    `yaml:"rate_iops"`
	File     string `yaml:"file"` // a job file of fio's own instead of the above
}

// Over are the lists of a matrix.
type Over struct {
	RW      []string `yaml:"rw"`
	BS      []Bytes  `yaml:"bs"`
	ReadPct []int    `yaml:"read_pct"`
	Entropy []int    `yaml:"entropy"`
	QD      []int    `yaml:"qd"`
	Jobs    []int    `yaml:"jobs"`
}

const (
	defaultOffTime = 10 * time.Second
	defaultIdle    = 5 * time.Minute
	maxQD          = 4096
	leastDuration  = 100 * time.Millisecond
	maxJobs        = 1024
	baseSampling   = 4 * time.Microsecond
	maxSampling    = baseSampling << 15
	maxOffTime     = time.Hour
	maxRamp        = 24 * time.Hour
	maxCells       = 10_000
	maxHours       = 365 * 24
)

func builtin() textfile.Builtin {
	return textfile.Builtin{Kind: "suite", FS: configs.Suites, Dir: "suites"}
}

// Names lists the built-in suites.
func Names() []string { return builtin().Names() }

// Find reads a built-in suite by its name, or else a file by its path. It may extend and
// include other files.
func Find(name string) (*Suite, error) {
	file, data, err := builtin().Find(name)
	if err != nil {
		return nil, err
	}
	return assemble(file, data, beside)
}

// Parse reads a suite; file names it in messages. It may extend and include built-in
// suites, and no files.
func Parse(file string, data []byte) (*Suite, error) { return assemble(file, data, builtIn) }

// assemble reads a suite and what it names. Its error joins all faults.
func assemble(file string, data []byte, open opener) (*Suite, error) {
	r := &sources{open: open}
	root := r.read(file, data, nil)
	if root == nil {
		return nil, errors.Join(r.faults...)
	}
	s := &Suite{Source: data}
	if err := root.Decode(s); err != nil && r.faults == nil {
		return nil, located(file, []string{strings.TrimPrefix(err.Error(), "yaml: ")})
	}
	if len(r.files) > 1 {
		var err error
		if s.Source, err = r.flat(root); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(s.Source)
	s.SHA256 = hex.EncodeToString(sum[:])
	s.keepLines(value(root, "steps"))
	s.precondition()
	if err := s.check(r); err != nil {
		return nil, err
	}
	return s, nil
}

// keepLines notes where each step stands, for its faults.
func (s *Suite) keepLines(steps *yaml.Node) {
	if steps == nil {
		return
	}
	for k, n := range steps.Content {
		if k < len(s.Steps) {
			s.Steps[k].line = n.Line
			s.Steps[k].untilSteady()
		}
	}
}
