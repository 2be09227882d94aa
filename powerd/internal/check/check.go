package check

// Level is how bad a finding is.
type Level string

// Levels.
const (
	OK   Level = "ok"
	Warn Level = "warn"
	Fail Level = "fail"
)

// Line is one judgement.
type Line struct {
	Level   Level  `json:"level"`
	What    string `json:"what"`
	Finding string `json:"finding"`
	Cure    string `json:"cure,omitempty"`
}

// String writes the line without its level.
func (l Line) String() string {
	if l.Cure == "" {
		return l.What + ": " + l.Finding
	}
	return l.What + ": " + l.Finding + "; " + l.Cure
}

// Judge makes the lines of a bench from what was found. Of what was not asked for,
// as there is no target or no answer, there is no line.
func Judge(f *Facts) []Line {
	var lines []Line
	for _, judge := range []func(*Facts) []Line{moduleLines, supplyLines, memoryLines, driveLines, hostLines} {
		lines = append(lines, judge(f)...)
	}
	return lines
}

// Fails counts the lines that fail.
func Fails(lines []Line) int {
	n := 0
	for _, l := range lines {
		if l.Level == Fail {
			n++
		}
	}
	return n
}
