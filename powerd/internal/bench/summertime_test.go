package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// On the night on which summer time ends, a clock on a wall of Berlin says 02:30 twice, and
// an hour lies between. Runs that begin then and around then are named by UTC: no two names
// are the same, their order is that of the runs, and from the first to the last it is 1 h 0
// min. What a run says of its start is UTC too, wherever the host stands.
func TestRunsOfTheHourThatComesTwice(t *testing.T) {
	summer, winter := time.FixedZone("CEST", 2*3600), time.FixedZone("CET", 3600)
	rows := []struct {
		utc  string
		zone *time.Location
		wall string
	}{
		{"2026-10-25T00:30:00Z", summer, "02:30:00"},
		{"2026-10-25T00:59:59Z", summer, "02:59:59"},
		{"2026-10-25T01:00:00Z", winter, "02:00:00"},
		{"2026-10-25T01:30:00Z", winter, "02:30:00"},
	}
	var names []string
	var starts []time.Time
	for _, row := range rows {
		at, err := time.Parse(time.RFC3339, row.utc)
		if err != nil {
			t.Fatal(err)
		}
		if wall := at.In(row.zone).Format(time.TimeOnly); wall != row.wall {
			t.Fatalf("the wall says %s, want %s", wall, row.wall)
		}
		began := clock.UTC(quarch.Clock{UTCNs: at.In(row.zone).UnixNano()})
		if text := began.Format(time.RFC3339); text != row.utc {
			t.Errorf("a run of %s says that it began at %s", row.utc, text)
		}
		names = append(names, runID(began, "idle", results.Drive{Model: "Model A", Serial: "SN1"}))
		stamp, _, _ := strings.Cut(names[len(names)-1], "-")
		start, err := time.Parse("20060102T150405.000Z", stamp)
		if err != nil {
			t.Fatal(err)
		}
		starts = append(starts, start)
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(rows) {
		t.Errorf("names %q", names)
	}
	if all := starts[3].Sub(starts[0]); all != time.Hour {
		t.Errorf("%v from the first to the last by their names, want 1h", all)
	}
}
