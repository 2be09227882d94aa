package measure

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"powerd/quarch"
)

// Status is what a run says of itself once a second, in status.json and on the
// live line. Its figures are a preview: they are never stored as results. A
// pointer is nil while the value is unknown.
type Status struct {
	RunID       string                  `json:"run_id"`
	Outcome     string                  `json:"outcome"`
	UpdatedUTC  string                  `json:"updated_utc"`
	Step        string                  `json:"step"`
	Kind        string                  `json:"kind"`
	StepNumber  int                     `json:"step_number"` // from 1
	Steps       int                     `json:"steps"`
	ElapsedS    float64                 `json:"elapsed_s"`
	LeftS       float64                 `json:"left_s"` // estimate
	RailsW      map[quarch.Rail]float64 `json:"rails_w,omitempty"`
	TotalW      *float64                `json:"total_w,omitempty"`
	IOPS        *float64                `json:"iops,omitempty"`
	MBPerS      *float64                `json:"mb_per_s,omitempty"`
	OffsetS     *float64                `json:"offset_s,omitempty"`
	OffsetU95S  *float64                `json:"offset_u95_s,omitempty"`
	LostStripes uint64                  `json:"lost_stripes"`
}

// Left returns the estimated time to the end of the run.
func (s Status) Left() time.Duration { return time.Duration(s.LeftS * float64(time.Second)) }

func (s Status) write(dir string) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode status: %w", err)
	}
	return writeFile(filepath.Join(dir, "status.json"), append(b, '\n'))
}

// writeFile writes a whole file or none of it.
func writeFile(path string, b []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, b, 0o644); err != nil {
		os.Remove(tmp)
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
