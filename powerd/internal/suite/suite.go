package suite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"powerd/configs"
	"powerd/powerd/internal/textfile"
)

// Suite is a suite file.
type Suite struct {
	Name  string     `yaml:"name"`
	Title string     `yaml:"title"`
	Steps []FileStep `yaml:"steps"`

	OnFailure string `yaml:"on_failure"` // of a step: Continue or Stop; empty = Continue

	SHA256 string `yaml:"-"` // of the file
	Source []byte `yaml:"-"` // the file
}

// FileStep is one entry of a file's steps.
type FileStep struct {
	Name     string   `yaml:"name"`
	Kind     string   `yaml:"kind"`
	Duration Duration `yaml:"duration"`
	Ramp     Duration `yaml:"ramp"`     // of a load: before what is measured
	OffTime  Duration `yaml:"off_time"` // of a power cycle
	Sampling Duration `yaml:"sampling"`
	Fio      *Fio     `yaml:"fio"`
	Over     *Over    `yaml:"over"`   // of a matrix
	Order    []string `yaml:"order"`  // of the lists in it, the first one slowest; empty: rw, bs, read_pct, qd, jobs
	Settle   *Settle  `yaml:"settle"` // of an idle step: wait for that first
	Cycles   int      `yaml:"cycles"` // of a power cycle: that many, each a step of its own
	Repeat   `yaml:",inline"`
	OnTwin   *Trial `yaml:"on_twin"` // what an emulated drive gets instead

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
	Size     Bytes  `yaml:"size"` // region from the start; 0 = all of the target
	IOEngine string `yaml:"ioengine"`
	RateIOPS int    `yaml:"rate_iops"`
	File     string `yaml:"file"` // a job file of fio's own instead of the above
}

// Over are the lists of a matrix.
type Over struct {
	RW      []string `yaml:"rw"`
	BS      []Bytes  `yaml:"bs"`
	ReadPct []int    `yaml:"read_pct"`
	QD      []int    `yaml:"qd"`
	Jobs    []int    `yaml:"jobs"`
}

const (
	defaultOffTime = 10 * time.Second
	defaultIdle    = 5 * time.Minute
	maxQD          = 4096
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

// Find reads a built-in suite by its name, or else a file by its path.
func Find(name string) (*Suite, error) {
	file, data, err := builtin().Find(name)
	if err != nil {
		return nil, err
	}
	return Parse(file, data)
}

// Parse reads a suite; file names it in messages.
func Parse(file string, data []byte) (*Suite, error) {
	s := &Suite{Source: data}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(s); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("suite %s is empty; it needs name and steps", file)
		}
		return nil, located(file, err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("suite %s: more than one YAML document; keep one a file", file)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err == nil {
		s.keepLines(&doc)
	}
	sum := sha256.Sum256(data)
	s.SHA256 = hex.EncodeToString(sum[:])
	if err := s.check(file); err != nil {
		return nil, err
	}
	return s, nil
}

// keepLines notes where each step stands, for its faults.
func (s *Suite) keepLines(doc *yaml.Node) {
	if len(doc.Content) == 0 {
		return
	}
	top := doc.Content[0].Content
	for i := 0; i+1 < len(top); i += 2 {
		if top[i].Value != "steps" {
			continue
		}
		for k, n := range top[i+1].Content {
			if k < len(s.Steps) {
				s.Steps[k].line = n.Line
				s.Steps[k].untilSteady()
			}
		}
	}
}

// located turns the decoder's faults into one a line, with file:line first and
// without the names of inner types.
func located(file string, err error) error {
	faults := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	if t, ok := errors.AsType[*yaml.TypeError](err); ok {
		faults = t.Errors
	}
	located := textfile.Located(file, faults)
	if strings.Contains(located.Error(), "unknown key") {
		return fmt.Errorf("%w\n`powerd suite check --help` lists the keys of a suite", located)
	}
	return located
}
