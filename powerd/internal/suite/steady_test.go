package suite

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// The IOPS test of the SNIA PTS (2.0.2): 7 mixes × 8 block sizes of a minute each, mixes
// outermost, at most 25 rounds, steady by three variables, after twice the capacity in
// sequential writes of 128 KiB; 32 outstanding in each of four jobs. Half of 56 · 25 min are
// writes (0 + 5 + 35 + 50 + 65 + 95 + 100 = 350 of 700 %): 700 min.
func TestBuiltInPTSIOPS(t *testing.T) {
	s, err := Find("pts-iops")
	if err != nil {
		t.Fatal(err)
	}
	plan := s.Plan(Defaults{})
	if len(plan) != 1+56*25 || plan.Trial() {
		t.Fatalf("%d steps, trial %v", len(plan), plan.Trial())
	}
	if p := plan[0]; p.Job.RW != "write" || p.Job.BlockBytes != 128<<10 || p.UntilWritten != 2 || p.Round != 0 {
		t.Errorf("precondition: %+v", p)
	}
	var mixes []int
	var sizes []int64
	for i, st := range plan[1:57] {
		if i%8 == 0 {
			mixes = append(mixes, st.Job.ReadPct)
		}
		if i < 8 {
			sizes = append(sizes, st.Job.BlockBytes)
		}
		if st.Job.RW != "randrw" || st.Job.QueueDepth != 32 || st.Job.Jobs != 4 || st.Duration != time.Minute || st.Round != 1 || st.Rounds != 25 {
			t.Errorf("%+v", st)
		}
	}
	if want := []int{100, 95, 65, 50, 35, 5, 0}; !reflect.DeepEqual(mixes, want) {
		t.Errorf("mixes %v", mixes)
	}
	if want := []int64{1 << 20, 128 << 10, 64 << 10, 32 << 10, 16 << 10, 8 << 10, 4 << 10, 512}; !reflect.DeepEqual(sizes, want) {
		t.Errorf("block sizes %v", sizes)
	}
	if want := (&Steady{Profile: "snia", Cells: []string{"iops-r0-4k", "iops-r65-64k", "iops-r100-1m"}, OfRound: 56}); !reflect.DeepEqual(plan[1].Steady, want) {
		t.Errorf("%+v", plan[1].Steady)
	}
	want := Extent{Rounds: 25, Writing: 6*time.Hour + 56*25*time.Minute, FreeWriting: 700 * time.Minute, UntilWritten: 2, WritesAtMost: -1}
	if got := plan.Extent(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	trial := s.Plan(Defaults{Twin: true})
	if len(trial) != 1+9*25 || !trial.Trial() || trial[1].Steady.OfRound != 9 || trial[1].Job.QueueDepth != 16 || trial[1].Job.Jobs != 1 || trial[1].Duration > 5*time.Second {
		t.Errorf("on a twin: %d of %+v", len(trial), trial[1])
	}
}

// A load has one cell, and no need to name it; the rounds are 25 unless told.
func TestUntilSteadyOfALoad(t *testing.T) {
	plan := parse(t, `
name: w
steps:
  - {name: w, kind: load, duration: 1m, until_steady: review4, fio: {rw: randwrite, bs: 4k}}
`).Plan(Defaults{})
	if len(plan) != 25 || !reflect.DeepEqual(plan[24].Steady, &Steady{Profile: "review4", Cells: []string{"w"}, OfRound: 1}) {
		t.Errorf("%d steps, %+v", len(plan), plan[0].Steady)
	}
}

// A cell may be judged by its IOPS and by latencies, each by itself; a plan that asks for no
// latency has no list of them, as those of older runs.
func TestLatenciesAreVariables(t *testing.T) {
	plan := parse(t, `
name: w
steps:
  - {name: w, kind: load, duration: 1m, until_steady: {profile: snia, of: [{}, {latency: mean}, {latency: 99.9}]}, fio: {rw: randwrite, bs: 4k}}
`).Plan(Defaults{})
	want := &Steady{Profile: "snia", Cells: []string{"w", "w", "w"}, Latency: []string{"", "mean", "99.9"}, OfRound: 1}
	if got := plan[0].Steady; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if text := plan[0].Steady.String(); text != "snia, of w, the mean latency of w, the 99.9 % latency of w" {
		t.Errorf("%q", text)
	}
}

// The lists of a matrix vary in the order that it gives, the last fastest; names follow.
func TestOrderOfLists(t *testing.T) {
	matrix := `
name: m
steps:
  - {name: m, kind: matrix, duration: 1s, fio: {rw: randrw}, over: {read_pct: [100, 0], bs: [4k, 8k]}`
	for order, want := range map[string][]string{
		"":                          {"m-4k-r100", "m-4k-r0", "m-8k-r100", "m-8k-r0"},
		", order: [read_pct, bs]":   {"m-r100-4k", "m-r100-8k", "m-r0-4k", "m-r0-8k"},
		", order: [ bs, read_pct ]": {"m-4k-r100", "m-4k-r0", "m-8k-r100", "m-8k-r0"},
	} {
		var got []string
		for _, st := range parse(t, matrix+order+"}\n").Plan(Defaults{}) {
			got = append(got, st.Name)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, want %v", order, got, want)
		}
	}
}

// What cannot be judged is refused where it stands, with what is allowed.
func TestFaultsOfSteadyRounds(t *testing.T) {
	load := "kind: load, duration: 1s, fio: {rw: randwrite, bs: 4k}"
	matrix := "kind: matrix, duration: 1s, fio: {rw: randrw}, over: {read_pct: [65, 0], bs: [4k, 8k]}"
	for _, c := range []struct{ step, want string }{
		{load + ", until_steady: sina", `until_steady.profile: "sina": it is one of snia, review4`},
		{load + ", until_steady: {profile: snia, off: 1}", "until_steady: unknown key off; there are profile, of"},
		{load + ", until_steady: {profile: snia, profile: snia}", "until_steady: profile stands there twice"},
		{load + ", until_steady: [snia]", "until_steady: it is a profile, or {profile"},
		{load + ", until_steady: {profile: [snia]}", "until_steady.profile: it is one of snia, review4"},
		{load + ", until_steady: {profile: snia, of: 4k}", "until_steady.of: it is a list of cells"},
		{load + ", until_steady: {profile: snia, of: [4k]}", "until_steady.of: a cell is named by rw, bs, read_pct, entropy, qd, jobs"},
		{load + ", until_steady: {profile: snia, of: [{bs: 4}]}", "until_steady.of: no cell is so"},
		{load + ", until_steady: {profile: snia, of: [{size: 4k}]}", "until_steady.of: unknown key size"},
		{load + ", until_steady: {profile: snia, of: [{latency: p99}]}", `until_steady.of: latency: "p99": it is one of mean, 99, 99.9, 99.99`},
		{load + ", until_steady: {profile: snia, of: [{latency: mean}, {latency: mean}]}", "until_steady.of: a stands there twice"},
		{load + ", rounds: 4, until_steady: snia", "rounds: 4: with until_steady: snia they are 5 to 25"},
		{load + ", rounds: 3, until_steady: review4", "rounds: 3: with until_steady: review4 they are 4 to 25"},
		{load + ", rounds: 26, until_steady: snia", "rounds: 26: with until_steady: snia they are 5 to 25"},
		{load + ", rounds: 9, fresh_rounds: 1, last_rounds: 1, until_steady: snia", "with until_steady the rule chooses the window"},
		{load + ", on_twin: {rounds: 3, until_steady: review4}", "rounds: 3: with until_steady: review4 they are 4 to 25"},
		{"kind: idle, until_steady: snia", "until_steady: they belong to load and matrix, not to idle"},
		{matrix + ", until_steady: snia", "until_steady.of: a matrix needs the cells that are judged"},
		{matrix + ", until_steady: {profile: snia, of: [{bs: 4k}]}", "until_steady.of: 2 cells are so (a-4k-r65, a-4k-r0, …); name one"},
		{matrix + ", until_steady: {profile: snia, of: [{bs: 16k, read_pct: 0}]}", "until_steady.of: no cell is so"},
		{matrix + ", until_steady: {profile: snia, of: [{bs: 4k, read_pct: 0}, {read_pct: 0, bs: 4k}]}", "until_steady.of: a-4k-r0 stands there twice"},
		{matrix + ", until_steady: {profile: snia, of: [{bs: 8k, read_pct: 0}]}, on_twin: {over: {read_pct: [0], bs: [4k]}}", "until_steady.of: no cell is so"},
		{matrix + ", order: [bs]", "order: bs: it names each list of over once, the one that varies slowest first; there are bs, read_pct"},
		{matrix + ", order: [bs, qd]", "order: bs, qd: it names each list"},
		{matrix + ", order: [bs, bs]", "order: bs, bs: it names each list"},
		{matrix + ", order: [bs, qd], until_steady: {profile: snia, of: [{bs: 8k, read_pct: 0}]}", "order: bs, qd: it names each list"},
		{"kind: idle, on_twin: {qd: 4}", "on_twin: qd and jobs belong to load and matrix, not to idle"},
		{load + ", on_twin: {qd: 5000}", "fio.qd: 5000: it is 0 to 4096"},
		{load + ", order: [bs]", "order: it belongs to the lists of a matrix"},
		{matrix + ", until_written: 2", "rounds: 0: it is 1 to 10000"},
		{"kind: load, duration: 1s, fio: {rw: randrw, bs: 4k}, until_written: 2", "until_written: without rounds it ends a load of rw write or randwrite in one job"},
		{"kind: load, duration: 1s, fio: {rw: write, bs: 4k, jobs: 2}, until_written: 2", "until_written: without rounds it ends a load of rw write or randwrite in one job"},
	} {
		_, err := Parse("s.yaml", []byte("name: x\nsteps:\n  - {name: a, "+c.step+"}\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "s.yaml:3: ") {
			t.Errorf("%s\ngot  %v\nwant %s", c.step, err, c.want)
		}
	}
}

// Lists that multiply out to more than any suite may have are refused for that, before
// anybody looks for a cell in them.
func TestSteadyRoundsOfTooManyCells(t *testing.T) {
	list := "[1" + strings.Repeat(", 1", 200) + "]"
	_, err := Parse("s.yaml", []byte("name: x\nsteps:\n  - {name: a, kind: matrix, duration: 1s, fio: {rw: randread, bs: 4k}, over: {qd: "+list+", jobs: "+list+
		"}, until_steady: {profile: snia, of: [{qd: 1}]}}\n"))
	if err == nil || !strings.Contains(err.Error(), "the suite has more than 10000 steps") {
		t.Error(err)
	}
}
