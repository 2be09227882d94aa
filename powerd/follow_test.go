package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// agreement is what two sources say of one window in results.json.
type agreement struct {
	Efficiency []struct {
		StartNs   int64   `json:"start_mono_ns"`
		EndNs     int64   `json:"end_mono_ns"`
		IOPS      float64 `json:"iops"`
		IOPSU     float64 `json:"iops_u95_rel"`
		MeanW     float64 `json:"mean_w"`
		MeanU     float64 `json:"mean_u95_w"`
		IOPSPerMW float64 `json:"iops_per_mw"`
		U         float64 `json:"u95_rel"`
	} `json:"efficiency"`
	Marks []struct {
		MeanW float64 `json:"mean_w"`
		IO    struct {
			IOPS      float64 `json:"iops"`
			IOPSU     float64 `json:"iops_u95_rel"`
			MeanW     float64 `json:"mean_w"`
			IOPSPerMW float64 `json:"iops_per_mw"`
			U         float64 `json:"u95_rel"`
		} `json:"io"`
	} `json:"marks"`
	Warnings []struct{ Code, Text string } `json:"warnings"`
}

func agreementIn(t *testing.T, dir string) (a agreement) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Of one and the same load fio tells by its report, and the kernel by its counts. With
// marks set to fio's own window both are of the same work: the watts of the window are
// one figure, and IOPS and IOPS per milliwatt, which the kernel's counts give for a
// window of their own inside it, agree within what both are unsure by.
func TestStatisticsAgreeWithFio(t *testing.T) {
	for _, need := range []string{"root", "twin"} {
		if ok, err := condition(need); err != nil || !ok {
			t.Skip("needs fio and /dev/fuse")
		}
	}
	work := t.TempDir()
	suite, dir := filepath.Join(work, "load.yaml"), filepath.Join(work, "run")
	text := "name: load\nsteps:\n  - {name: read, kind: load, duration: 4s, ramp: 500ms, fio: {rw: randread, bs: 4k, qd: 8}}\n"
	if err := os.WriteFile(suite, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	powerd := func(args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "powerd", args...)
		c.Env = append(os.Environ(), "POWERD_STORE_PATH="+filepath.Join(work, "powerd.db"), "POWERD_STATE="+filepath.Join(work, "state"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("powerd %v: %v\n%s", args, err, out)
		}
	}
	powerd("run", suite, "--twin", "seagate-1200-400", "--out", dir)
	fio := agreementIn(t, dir).Efficiency[0]
	marks := fmt.Sprintf(`{"mark":"start","name":"same","mono_ns":%d}`+"\n"+`{"mark":"end","name":"same","mono_ns":%d}`+"\n", fio.StartNs, fio.EndNs)
	if err := os.WriteFile(filepath.Join(dir, "engine", "marks.jsonl"), []byte(marks), 0o644); err != nil {
		t.Fatal(err)
	}
	powerd("analyze", dir)
	all := agreementIn(t, dir)
	mark := all.Marks[0]

	if math.Abs(mark.MeanW-fio.MeanW) > 1e-9 {
		t.Errorf("%.6f W between the marks, %.6f W in fio's window, which is the same", mark.MeanW, fio.MeanW)
	}
	if math.Abs(mark.IO.MeanW-fio.MeanW) > fio.MeanU {
		t.Errorf("%.4f W in the counts' window, %.4f ± %.4f W in fio's", mark.IO.MeanW, fio.MeanW, fio.MeanU)
	}
	within := func(what string, kernel, kernelU, own, ownU float64) {
		t.Helper()
		if u := math.Hypot(kernel*kernelU, own*ownU); kernel == 0 || own == 0 || math.Abs(kernel-own) > u {
			t.Errorf("%s: %.5g by the kernel, %.5g by fio, ± %.2g", what, kernel, own, u)
		}
	}
	within("IOPS", mark.IO.IOPS, mark.IO.IOPSU, fio.IOPS, fio.IOPSU)
	within("IOPS/mW", mark.IO.IOPSPerMW, mark.IO.U, fio.IOPSPerMW, fio.U)
	for _, w := range all.Warnings {
		switch w.Code {
		case "not_followed", "io_cached", "io_of_others", "io_not_on_target":
			t.Errorf("warning %s: %s", w.Code, w.Text)
		}
	}
}
