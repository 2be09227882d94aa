package report_test

import (
	"bytes"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/powerd/internal/report"
)

// A pivot is the published form: rows by share of reads, columns by queue depth in
// rising order although the table came in another one.
func TestPivot(t *testing.T) {
	p, err := report.Pivot(efficiency(), "read_pct", "qd", "iops_per_mw")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, render(t, func(b *bytes.Buffer) error { return report.CSV(b, p) }), `read_pct,iops_per_mw_qd_8,iops_per_mw_qd_8_u95,iops_per_mw_qd_32,iops_per_mw_qd_32_u95,why
0,,,7,0.036,"iops_per_mw_qd_8: coverage 97.1 %, 99 % needed"
100,12.0001,0.0721,18.2998,0.0944,
`)
	if p.Title != "Efficiency by Reads and QD" || p.Columns[1].Head != "QD 8" || p.Columns[1].Unit != "IOPS/mW" {
		t.Errorf("title %q, first column %+v", p.Title, p.Columns[1])
	}
	if _, err := report.Pivot(efficiency(), "read_pct", "depth", "iops_per_mw"); err == nil {
		t.Error("a column that does not exist was pivoted")
	}
}

// Two measurements of a cell are not averaged: the later one is shown, and a note
// says so. A pair that was not measured is absent.
func TestPivotSharedAndMissing(t *testing.T) {
	long := efficiency()
	again := long.Rows[0]
	again.Cells = append([]analysis.Cell(nil), again.Cells...)
	again.Cells[5] = analysis.Val(7.5)
	long.Rows = append(long.Rows[:3:3], again) // r100-qd8 is gone
	p, err := report.Pivot(long, "read_pct", "qd", "iops_per_mw")
	if err != nil {
		t.Fatal(err)
	}
	if c := p.At(0, "iops_per_mw_qd_32"); c.Value != 7.5 {
		t.Errorf("shared cell %+v, want the later 7.5", c)
	}
	if c := p.At(1, "iops_per_mw_qd_8"); c.Valid || c.Why != "" {
		t.Errorf("missing cell %+v, want an absent one", c)
	}
	if !strings.Contains(strings.Join(p.Notes, " "), "measured more than once") {
		t.Errorf("notes %q", p.Notes)
	}
}

func TestBlockSize(t *testing.T) {
	for bytes, want := range map[float64]string{512: "512 B", 4096: "4 KiB", 6144: "6 KiB", 131072: "128 KiB", 1 << 20: "1 MiB", 1536: "1536 B"} {
		if got := report.BlockSize(bytes); got != want {
			t.Errorf("%g bytes: %q, want %q", bytes, got, want)
		}
	}
}
