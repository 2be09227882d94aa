package publish

import (
	"slices"

	"powerd/analysis"
	"powerd/powerd/internal/report"
)

// Brief returns a report for a terminal: its headlines, and of its tables the
// columns that a person compares. The files have all of them.
func Brief(doc *report.Doc) *report.Doc {
	b := *doc
	b.Conditions, b.Plots, b.Words = nil, nil, nil
	first := 1
	if slices.ContainsFunc(doc.Tables, func(t *analysis.Table) bool { return t.Name == "steady" }) {
		first++ // that of the steady state, before that of the claims
	}
	b.Headlines = b.Headlines[:min(first, len(b.Headlines))] // the others stand in the table
	b.Tables, b.Columns = nil, steadyColumns(idleColumns(briefColumns(), doc.Tables), doc.Tables)
	for _, t := range doc.Tables {
		if b.Columns[t.Name] != nil && (t.Name != "limits" || doc.Lead == t.Name) {
			bare := *t
			bare.Notes = nil
			if t.Name == "limits" { // what each window says stands in the report
				bare.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r analysis.Row) bool { return !r.Cells[t.Col("claimed")].Valid })
			}
			b.Tables = append(b.Tables, &bare)
		}
	}
	return &b
}

// briefColumns are what a terminal shows.
func briefColumns() map[string][]string {
	return map[string][]string{
		"idle":       {"step", "rail", "mean_w", "min_w", "max_w", "std_w", "p99_w", "coverage"},
		"inrush":     {"step", "rail", "window_us", "amps", "at_s", "watts"},
		"efficiency": {"step", "iops", "mb_per_s", "mean_w", "iops_per_mw", "mb_per_s_per_mw"},
		"steady":     {"step", "verdict", "window", "mean_iops", "range_rel", "fit_rel", "mean_w", "power"},
		"saturation": {"step", "window", "rounds", "iops", "mean_w", "iops_per_mw"},
		"housekeeping": {
			"step", "cliff_round", "iops_ratio", "power_change_rel", "housekeeping_share_iops", "housekeeping_share_efficiency",
		},
		"recovery": {"step", "pause_s", "before_iops", "iops", "gain", "recovery_share", "pause_mean_w", "mean_w", "iops_per_mw"},
		"demand":   {"ramp", "demand_iops", "iops", "met", "latency_mean_us", "latency_max_us", "mean_w", "iops_per_mw"},
		"limits":   {"name", "claimed", "measured", "window", "judged", "why"},
		"record":   {"step", "rail", "mean_w", "min_w", "max_w", "p99_w", "energy_j", "iops", "iops_per_mw"},
		"marks":    {"name", "duration_s", "mean_w", "energy_j", "count", "unit", "per_joule", "iops", "iops_per_mw"},
		"states":   {"asked", "before_w", "after_w", "change_w", "before_s", "after_s", "text"},
	}
}

// pageColumns are what a page shows where not all columns fit; what is the same in
// every row, or stands there in another unit, is left to the CSV file.
func pageColumns() map[string][]string {
	return map[string][]string{
		"limits": {"what", "claimed", "measured", "window", "judged", "why", "source"},
		"idle":   {"step", "rail", "mean_w", "min_w", "max_w", "std_w", "p50_w", "p99_w", "mean_a", "mean_v", "coverage"},
		"inrush_cycles": {
			"rail", "window_us", "cycles", "mean_amps", "std_amps", "min_amps", "max_amps", "worst_cycle", "mean_watts", "std_watts", "max_watts",
		},
		"start": {"step", "rail", "start_v", "droop_v", "charge_c", "i2t_a2s", "energy_j", "time_to_ready_s", "energy_to_ready_j"},
		"efficiency": {
			"step", "iops", "mb_per_s", "mean_w", "iops_per_mw", "mb_per_s_per_mw", "uj_per_io", "5v_w", "12v_w",
			"latency_mean_us", "state",
		},
		"latency": {"step", "iops", "mean_us", "std_us", "p50_us", "p99_us", "p999_us", "p9999_us", "p99999_us", "max_us", "state"},
		"rounds":  {"step", "round", "iops", "mb_per_s", "mean_w", "iops_per_mw", "mb_per_s_per_mw", "latency_mean_us"},
		"steady": {
			"step", "profile", "verdict", "rounds", "window", "mean_iops", "range_rel", "slope_iops_per_round", "fit_rel", "mean_w", "range_w_rel", "fit_w_rel", "power", "why",
		},
		"scaling": {
			"group", "rw", "bs", "base_w", "awake_w", "uj_per_io", "knee_depth", "sweet_spot", "sweet_uj_per_io", "dynamic_range", "proportionality",
		},
		"recovery":   {"step", "pause_s", "bursts", "seen_pause_s", "before_iops", "iops", "then_iops", "gain", "recovery_share", "before_mean_w", "pause_mean_w", "mean_w", "iops_per_mw"},
		"demand":     {"ramp", "demand_iops", "iops", "met", "latency_mean_us", "latency_max_us", "mean_w", "iops_per_mw"},
		"saturation": {"step", "window", "rounds", "iops", "mb_per_s", "mean_w", "iops_per_mw", "energy_j", "duration_s", "coverage"},
		"housekeeping": {
			"step", "rounds", "cliff_round", "iops_ratio", "power_change_w", "power_change_rel", "housekeeping_share_iops", "housekeeping_share_efficiency",
		},
		"record": {"step", "rail", "mean_w", "min_w", "max_w", "p99_w", "energy_j", "coverage", "iops", "mb_per_s", "iops_per_mw", "mb_per_s_per_mw"},
		"marks":  {"name", "duration_s", "mean_w", "energy_j", "count", "unit", "per_joule", "per_s", "iops", "mb_per_s", "iops_per_mw"},
	}
}

// words explains what a reader may not know.
func words() []report.KV {
	return []report.KV{
		{Key: "stripe", Value: "one sample of all channels of the module; an averaged one is the mean over its period"},
		{Key: "offset", Value: "host time at which the module's stream of samples began, counted from the start of the run; its ± is how well IO and power lie on one another"},
		{Key: "rate", Value: "how far the module's clock is off, in parts per million; positive: its period is long"},
		{Key: "hull + bounds", Value: "the method: samples cannot have ended after they arrived (lower hull of arrivals), nor begun before the host asked for them (bounds)"},
		{Key: "not counted by the link", Value: "stripes that vanished or came twice without a word: the host's clock tells how many, from when blocks arrive; that time has no samples"},
		{Key: "coverage", Value: "share of a window that has samples; missing time is unknown, neither zero nor the last value"},
		{Key: "± (U95)", Value: "half-width of the 95 % interval; the notes of each table say what it holds"},
		{Key: "withheld", Value: "a figure that the samples cannot support; the reason stands below"},
		{Key: "steady", Value: "sums over the rounds of a window that a rule calls steady; the table Steady state has rule and window"},
		{Key: "not_judged", Value: "no steady-state rule calls this cell steady, so it may be fresh or steady"},
	}
}
