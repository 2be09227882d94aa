package compare_test

import (
	"fmt"
	"testing"

	"powerd/analysis"
	"powerd/analysis/compare"
	"powerd/analysis/efficiency"
)

// Six random cells of three mixes and two queue depths, whose ends are a read and a write
// by name, become one matrix: rows of reads, and for each run a column for each depth. The
// sequential cell is in none. With two block sizes there are two matrices.
func TestMatricesRunBesideRun(t *testing.T) {
	cells := func(blocks ...int64) (out []*efficiency.Cell) {
		for _, bs := range blocks {
			for _, mix := range []struct {
				rw    string
				reads int
			}{{"randread", 100}, {"randrw", 70}, {"randwrite", 0}} {
				for _, qd := range []int{32, 1} {
					c := cell(fmt.Sprint(mix, qd, bs), float64(1000*qd+mix.reads), 5, 0.01, 0.01)
					c.RW, c.ReadPct, c.QD, c.BSBytes = mix.rw, mix.reads, qd, bs
					out = append(out, c)
				}
			}
		}
		seq := cell("seq", 10, 5, 0.01, 0.01)
		seq.RW = "read"
		return append(out, seq)
	}
	r := compare.Compare(runs(cells(4096), cells(4096)), compare.Options{})
	tables := r.BesideTables("iops", true)
	if len(tables) != 1 || len(r.BesideTables("iops", false)) != 0 {
		t.Fatalf("%d matrices of random cells", len(tables))
	}
	m := tables[0]
	var heads, rows []string
	for _, c := range m.Columns {
		heads = append(heads, c.Head)
	}
	for _, row := range m.Rows {
		rows = append(rows, row.Cells[0].Text)
	}
	if got, want := fmt.Sprintf("%q %q", heads, rows), `["Reads" "A, QD 1" "A, QD 32" "B, QD 1" "B, QD 32"] ["0 % reads" "70 % reads" "100 % reads"]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := m.At(1, "b_qd_32"); got != analysis.ValU(32_070, 320.70) {
		t.Errorf("70 %% reads at QD 32 of B: %+v, want 32,070 ± 1 %%", got)
	}
	tables = compare.Compare(runs(cells(4096, 8192), cells(4096, 8192)), compare.Options{}).BesideTables("iops", true)
	if len(tables) != 2 || tables[0].Title != "IOPS, random, 4k: run beside run" || tables[1].Title != "IOPS, random, 8k: run beside run" {
		t.Errorf("two block sizes: %d matrices", len(tables))
	}
}
