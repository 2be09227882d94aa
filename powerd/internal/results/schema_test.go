package results_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"powerd/analysis/idle"
	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// object is what the schema says of one object: its keys as published, those of them
// that nothing measures yet, and those that were added since.
type object struct {
	keys  string
	later string // published, not measured yet: absent is right
	added string // keys are only ever added; each has its reason here
}

// schema is powerd.results/1, by path. A rail's name stands as RAIL.
var schema = map[string]object{
	"": {
		keys: "run suite bench drive host module alignment idle idles inrush efficiency limits withheld warnings",
		// the version that these lists are of; how each step of the plan ended; what was drawn while others loaded the drive; rounds before and after the write cliff; whether rounds are steady; how power follows load; histograms of latencies
		added: "schema steps records marks states saturation steady scaling demand recovery commands latency",
	},
	"run": {
		keys:  "id started_utc started_mono_ns ended_utc outcome powerd_version fio_version",
		added: "why", // an outcome other than completed needs a reason
	},
	"suite": {
		keys:  "name sha256 scale simulated",
		added: "title trial", // for people; done as the suite asks of emulated drives
	},
	"bench":                 {keys: "name rails_used fixture zero pairing"},
	"bench.zero":            {added: "date_utc module fixture seconds rails"},
	"bench.zero.rails.RAIL": {added: "mean_v mean_a mean_w u95_a u95_w"},
	"drive": {
		keys:  "vendor model serial firmware capacity_bytes interface by_id temp_before_c temp_after_c file",
		later: "temp_before_c temp_after_c",   // need the drive's own health report
		added: "target link_power twin_scale", // what was opened; the host's setting; by how much an emulation was slowed
	},
	"host": {
		keys:  "cpu kernel hba driver",
		later: "hba driver",
	},
	"module": {
		keys:  "driver model serial firmware link port rails period_us averaging calibration",
		added: "polls_per_s latency_timer_ms", // what a polled link and a USB adapter cost
	},
	"module.calibration": {keys: "gain_pct offset_ma offset_mv cal_date assumed"},
	"alignment": {
		keys: "method status offset_s offset_u95_s drift_ppm drift_u95_ppm lost_stripes gaps wall_steps",
		// why it is not ok; which stream it is of; all of them; what was known of the rate before
		added: "why stream period_us stripes streams prior_ppm prior_ppm_u95 prior_from uncounted",
	},
	"alignment.streams": {
		keys:  "method status offset_s offset_u95_s drift_ppm drift_u95_ppm lost_stripes",
		added: "why stream period_us stripes prior_ppm prior_ppm_u95 prior_from uncounted",
	},
	// stripes that vanished, or came twice, and only the arrivals tell
	"alignment.streams.uncounted": {added: "stripes size_s size_u95_s before_stripe not_before_mono_ns not_after_mono_ns"},
	"bench.pairing":               {added: "method confirmed date_utc module drive why bursts"}, // how it is known whose power it is
	"alignment.gaps":              {keys: "start_mono_ns end_mono_ns stripes cause"},
	"alignment.wall_steps":        {keys: "mono_ns step_s"},
	"steps":                       {added: "step kind start_mono_ns end_mono_ns outcome why"},
	"idles": {
		keys: "step kind start_mono_ns end_mono_ns duration_s coverage settled_after_s trust rails total",
		// a partial total, rails that the drive has not, a polled link; one of several idles, and its windows; whether it had settled; the host's setting
		added: "not_measured no_rails readings_per_s level windows settled unsettled_why link_power",
	},
	"idles.trust": {added: "halves_diff_w halves_diff_u95_w host_ios pulses pulses_why coverage zero_subtracted u95_w"},
	// the same without the module's accuracy; gross is mean_w, and what is left of it
	"idles.rails.RAIL": {keys: "mean_w min_w max_w std_w p99_w mean_a mean_v u95_w", added: "p50_w u95_noise_w u95_a u95_v zero_w zero_u95_w net_w net_u95_w"},
	"idles.total":      {keys: "mean_w min_w max_w std_w p99_w u95_w", added: "p50_w u95_noise_w zero_w zero_u95_w net_w net_u95_w"}, // no volts, no amperes of two rails
	"inrush":           {keys: "cycles"},
	"inrush.cycles": {
		keys:  "rails total time_to_ready_s energy_to_ready_j resolution_us start_mono_ns end_mono_ns",
		added: "step origin_mono_ns origin_u95_s time_to_ready_u95_s energy_to_ready_u95_j lost_stripes coverage not_measured", // whose, where its time counts from, how complete, which rails it lacks
	},
	"inrush.cycles.rails.RAIL": {
		keys:  "start_v peaks above charge_c droop_v",
		added: "start_u95_v energy_j energy_u95_j charge_u95_c droop_u95_v i2t_a2s i2t_u95_a2s rise_s rise_u95_s",
	},
	"inrush.cycles.rails.RAIL.peaks": {keys: "window_us amps watts at_s", added: "watts_at_s u95_a u95_w at_u95_s watts_at_u95_s"}, // the highest watts may lie elsewhere; how well a place is known
	"inrush.cycles.rails.RAIL.above": {keys: "limit_a first_s last_s total_s", added: "longest_s first_u95_s last_u95_s total_u95_s longest_u95_s"},
	"inrush.cycles.total":            {keys: "peaks", added: "energy_j energy_u95_j"},
	"inrush.cycles.total.peaks":      {keys: "window_us watts at_s", added: "u95_w at_u95_s"},
	"efficiency": {
		keys: "step engine rw bs_bytes read_pct qd jobs entropy_pct range_pct demand_iops round state start_mono_ns end_mono_ns duration_s coverage " +
			"ios bytes iops mb_per_s mean_w rails energy_j iops_per_mw mb_per_s_per_mw iops_per_w mb_per_s_per_w uj_per_io u95_rel latency_us",
		added: "range_from_pct mean_u95_w iops_u95_rel u95_scatter_rel not_measured interrupted first_round", // where the range begins; of the power alone, of the rates; a partial total; a job stopped before its time; rounds added up
	},
	"steady": { // a variable of a load in rounds, over the window that a rule was held against
		added: "step group profile rounds rounds_planned first_round last_round start_mono_ns end_mono_ns verdict why latency iops latency_us power_w",
	},
	"steady.latency_us": {added: steadySeries},
	"steady.iops":       {added: steadySeries},
	"steady.power_w":    {added: steadySeries},
	"demand":            {added: "step rw bs_bytes read_pct qd jobs limit_iops next_iops most_iops steps"}, // a demand ramp, and between which two demands its limit lies
	"demand.steps":      {added: "step demand_iops iops met latency_mean_us latency_max_us mean_w mean_u95_w iops_per_mw"},
	"recovery": { // a load with pauses, beside those without
		added: "step group rw bs_bytes read_pct qd jobs pause_s load_s start_mono_ns end_mono_ns after pause before_iops before_mean_w then_iops fresh_iops " +
			"gain gain_u95 recovery_share bursts seen_pause_s seen_pause_u95_s",
	},
	"recovery.after":  {added: "count duration_s ios bytes iops iops_u95 mb_per_s mean_w mean_u95_w energy_j iops_per_mw uj_per_io coverage"},
	"recovery.pause":  {added: "count duration_s mean_w mean_u95_w energy_j coverage"},
	"recovery.bursts": {added: "start_mono_ns end_mono_ns ios iops mean_w"},
	"commands":        {added: "step kind argv start_mono_ns end_mono_ns exit_code timed_out stdout stderr why"}, // that were sent to the drive
	"saturation": { // a load in rounds: two windows of it, and what is between them
		added: "step rw bs_bytes read_pct qd jobs rounds rounds_planned bytes fresh last iops_ratio iops_ratio_u95 cliff_round " +
			"power_change_w power_change_u95_w power_change_rel " +
			"housekeeping_share_iops housekeeping_share_iops_u95 housekeeping_share_efficiency housekeeping_share_efficiency_u95",
	},
	"scaling": { // a matrix: how power follows load
		added: "group rw bs_bytes read_pct entropy_pct range_pct demand cells base_w base_u95_w uj_per_io uj_per_io_u95 awake_w awake_u95_w " +
			"knee_depth knee_above_depth knee_below_depth sweet_spot sweet_qd sweet_jobs sweet_iops sweet_mean_w sweet_uj_per_io sweet_u95_rel " +
			"dynamic_range dynamic_range_u95 proportionality proportionality_u95",
	},
	"saturation.fresh":      {added: saturationWindow},
	"saturation.last":       {added: saturationWindow},
	"efficiency.rails.RAIL": {keys: "mean_w", added: "u95_w mean_a u95_a mean_v u95_v energy_j"},
	// of the mean, at a full queue; percentiles beside those of the design
	"efficiency.latency_us": {keys: "mean std p99 p999 p9999 max", added: "mean_u95 p50 p99999"},
	// histogram of one direction of a cell: IOs from low to high, which is not in it
	"latency": {added: "step round direction total bin_width_rel low_ns high_ns ios"},
	"limits": {
		keys:  "name what kind limit value u95 unit window_us verdict why",
		added: "quantity rail judged p_beyond of as windows source", // of which rail, in people's words, how likely, where measured, what was done first, where published; a claim without a window has a verdict for each
	},
	"records":            {added: "step start_mono_ns end_mono_ns duration_s coverage rails not_measured total io"},
	"records.rails.RAIL": {added: "mean_w u95_w min_w max_w p99_w mean_a u95_a mean_v u95_v energy_j"},
	"records.total":      {added: "mean_w u95_w min_w max_w p99_w energy_j"},
	"marks":              {added: "name start_mono_ns end_mono_ns duration_s coverage mean_w u95_w max_w energy_j count unit per_joule per_joule_u95 per_s per_s_u95 iops mb_per_s io start_from end_from"},
	"marks.start_from":   {added: remoteHost}, // a mark that another host made
	"marks.end_from":     {added: remoteHost},
	"states": { // what the trace says of a state that was asked for: both windows, both powers, and whether they differ
		added: "before_start_mono_ns before_end_mono_ns start_mono_ns end_mono_ns asked reached before_s before_w before_u95_w after_s after_w after_u95_w " +
			"change_w change_u95_w io_watched text",
	},
	"limits.windows": {added: "window_us value u95 verdict judged p_beyond of as why"},
	"withheld":       {keys: "what why"},
	"warnings":       {keys: "code text"},
}

// saturationWindow is the keys of some rounds in a row.
const saturationWindow = "state first_round last_round start_mono_ns end_mono_ns duration_s coverage ios bytes iops mb_per_s iops_u95_rel " +
	"mean_w mean_u95_w energy_j iops_per_mw iops_per_w u95_rel u95_scatter_rel"

// remoteHost is the keys of how another host's clock stood to this one's.
const remoteHost = "host offset_s offset_u95_s round_trips least_round_trip_s"

// steadySeries is the keys of what a rule says of one figure.
const steadySeries = "mean min max slope_per_round range_rel fit_rel steady why"

// walk calls visit for every object of a document with its path.
func walk(path string, v any, visit func(string, map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			walk(path, x, visit)
		}
	case map[string]any:
		if strings.HasSuffix(path, ".rails") {
			for _, x := range v {
				walk(path+".RAIL", x, visit)
			}
			return
		}
		visit(path, v)
		for key, x := range v {
			at := strings.TrimPrefix(path+"."+key, ".")
			if at == "idle" { // the first of idles
				at = "idles"
			}
			walk(at, x, visit)
		}
	}
}

// full is a run in which everything that can be measured was.
func full(t *testing.T) *results.Document {
	t.Helper()
	m := meta()
	m.Drive.Interface, m.Drive.ByID, m.Drive.Target, m.Drive.TwinScale = "SATA", "ata-X", "/dev/sdx", 4
	m.Bench.Fixture, m.Bench.Zero = "riser", &results.Zero{
		DateUTC: "2026-09-01T10:00:00Z", Module: "QTL1", Fixture: "riser", Seconds: 60,
		Rails: map[quarch.Rail]*results.ZeroFigure{quarch.Rail5V: {MeanA: 1e-3}, quarch.Rail12V: {MeanA: -1e-3}},
	}
	r := record(t, m)
	r.DriveFile("drive.yaml", `
name: acme
rails: [5v, 12v]
claims:
  - {name: start-5v, quantity: start_current, kind: max, value: 0.4 A, rail: 5v, window: unstated, source: manual}
  - {name: start-12v, quantity: start_current, kind: max, value: 0.25 A, rail: 12v, window: 10ms, source: manual}
`)
	ripple := func(s float64) []reading { // so that there is a scatter to be stated
		x := int32(int64(s*1e5) % 7)
		return []reading{{5000, 500_000 + x}, {12_000, 250_000 - x}}
	}
	r.Stream(source{ToS: 3, PeriodNs: 64_000, Draw: rampUp(1.1), EndReason: "done"})
	r.Event(results.StepStart(host(0.5), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
	r.Powered("up", true, 1.099)
	r.Event(results.ReadyEvent(host(2.5), "up", results.Ready{Tries: 9, FailedNs: host(2.495), GoodNs: host(2.5)}))
	r.Event(results.StepEnd(host(2.9), "up", results.Completed, ""))
	r.Stream(source{FromS: 4, ToS: 16, PeriodNs: 1_024_000, Draw: ripple, EndReason: "overrun", Lost: [2]uint64{11_000, 11_100}})
	r.Event(results.StepStart(host(5), results.StepMark{
		Step: "idle", Group: "idle", Kind: "idle", Settle: &idle.Rule{Mean: time.Second, WithinPct: 1, For: 2 * time.Second, AtMost: time.Minute},
	}))
	r.Event(results.WindowStart(host(7.2), "idle", ""))
	r.Event(results.StepEnd(host(8), "idle", results.Completed, ""))
	res := done(10_000)
	res.Read.Latency = engine.Latency{
		N: 1_000_000, MeanUs: 80, StdUs: 5, MinUs: 60, MaxUs: 900, Histogram: engine.Histogram{{LowNs: 79_872, HighNs: 80_896, IOs: 1_000_000}},
	}
	job := randread
	job.RW, job.ReadPct, job.RateIOPS = "randrw", 100, 5000
	job.Share = engine.Share{FromPct: 25, ToPct: 75}
	r.Load(job, 9, 11, res, nil)
	r.Step("oltp", "record", 11.5, 15, nil)
	const far = `"from":{"host":"b","offset_s":3.5,"offset_u95_s":0.0001,"round_trips":16,"least_round_trip_s":0.00015}`
	engineFile(t, r, "marks.jsonl", fmt.Sprintf("{\"mark\":\"start\",\"name\":\"state:ps4\",\"mono_ns\":%d,%s}\n"+
		"{\"mark\":\"end\",\"name\":\"state:ps4\",\"mono_ns\":%d,\"count\":7,\"unit\":\"naps\",%s}\n", host(13), far, host(14.5), far))
	for n, fromS := range []float64{15.1, 15.5} { // 4000 reads in 0.3 s, then 2000
		round(r, n+1, fromS, fromS+0.3, done(4000>>n))
	}
	for n := range 4 { // the same number of reads in each of four rounds
		judgedRound(r, "review4", n+1, 8.05+0.2*float64(n), 8.2+0.2*float64(n), 2000, 100)
	}
	for n := range 3 {
		depth(r, n, 22.5+float64(n), 23.2+float64(n), 1000<<n)
	}
	r.Step("late", "idle", 20, 21, nil)
	r.Stream(source{FromS: 22, ToS: 33, PeriodNs: 1_024_000, Draw: ripple, EndReason: "done", StolenAtS: 27, StolenS: 0.1})
	r.Stream(source{FromS: 34, ToS: 50, PeriodNs: 1_024_000, Draw: ripple, EndReason: "done"})
	rested(t, r, 35, "reads")
	demanded(r, 46)
	r.Event(results.CommandEvent(host(49), results.Command{
		Step: "sleep", Kind: "command", Argv: []string{"nvme"}, StartMonoNs: host(48), EndMonoNs: host(49), ExitCode: 1, TimedOut: true,
		Stdout: "commands/sleep.out", Stderr: "commands/sleep.err", Why: "nvme ended badly",
	}))
	r.Clock(1, 0)
	r.Clock(2, 60)
	r.Ended(21)
	return r.Compute()
}

// rampUp lets both rails rise over 100 ms, as a supply with capacitors does; in the
// middle of that the drive comes to life.
func rampUp(atS float64) func(float64) []reading {
	const rampS = 100e-3
	return func(s float64) []reading {
		share := min(1, max(0, (s-atS)/rampS))
		r := []reading{{int32(5000 * share), 0}, {int32(12_000 * share), 0}}
		if share > 0 && share < 1 { // 1 mF · 5 V / 100 ms, and of 12 V
			r[0][1], r[1][1] = 50_000, 120_000
		}
		if share >= 0.5 {
			r[0][1] += 500_000
			r[1][1] += 250_000
		}
		return r
	}
}

// Every key of a full document is one of the schema's, and every key of the schema is
// in it but for those that nothing measures yet.
func TestKeysAreTheSchemas(t *testing.T) {
	var doc any
	if err := json.Unmarshal(encoded(t, full(t)), &doc); err != nil {
		t.Fatal(err)
	}
	seen := map[string]map[string]bool{}
	walk("", doc, func(path string, o map[string]any) {
		if seen[path] == nil {
			seen[path] = map[string]bool{}
		}
		for key := range o {
			seen[path][key] = true
		}
	})
	for _, path := range slices.Sorted(maps.Keys(seen)) {
		want, known := schema[path]
		if !known {
			t.Errorf("object %q is not in the schema: %v", path, slices.Sorted(maps.Keys(seen[path])))
			continue
		}
		allowed := strings.Fields(want.keys + " " + want.added)
		for _, key := range slices.Sorted(maps.Keys(seen[path])) {
			if !slices.Contains(allowed, key) {
				t.Errorf("%s: key %q is not in the schema", path, key)
			}
			if slices.Contains(strings.Fields(want.later), key) {
				t.Errorf("%s: key %q is measured by now: it is not for later any more", path, key)
			}
		}
		for key := range strings.FieldsSeq(want.keys) {
			if !seen[path][key] && !slices.Contains(strings.Fields(want.later), key) {
				t.Errorf("%s: key %q is missing", path, key)
			}
		}
	}
	for path := range schema {
		if seen[path] == nil {
			t.Errorf("object %q did not occur in a full document", path)
		}
	}
}

// The document names its version, times are UTC, and lists that are empty are lists.
func TestValuesOfTheDocument(t *testing.T) {
	d := full(t)
	if d.Schema != "powerd.results/1" || d.Run.EndedUTC != "2026-09-21T14:13:41Z" { // 1,790,000,000 s and 21 s
		t.Errorf("schema %q, ended %q", d.Schema, d.Run.EndedUTC)
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(encoded(t, record(t, meta()).Compute()), &doc); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"withheld", "warnings"} {
		if string(doc[key]) != "[]" {
			t.Errorf("%s of a run without any is %s, want []", key, doc[key])
		}
	}
	for _, key := range []string{"idle", "idles", "inrush", "efficiency"} {
		if doc[key] != nil {
			t.Errorf("%s was not measured and is %s, want it absent", key, doc[key])
		}
	}
	if d.Idle.Rails[quarch.Rail5V] == nil || d.Drive.TwinScale != 4 {
		t.Errorf("idle %+v, drive %+v", d.Idle, d.Drive)
	}
}
