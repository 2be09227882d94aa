package fio

import (
	"fmt"
	"os"
	"strings"

	"powerd/engine"
)

// forced are options that no job file may override: nothing is created, workers
// are threads (they end when fio does), reads and writes are told apart.
func forced() []option {
	return []option{{"allow_file_create", "0"}, {"thread", "1"}, {"unified_rw_reporting", "none"}}
}

// jobFileText returns the job file to run.
func jobFileText(job engine.Job) (string, error) {
	if job.JobFile == "" {
		return ownJobFile(job), nil
	}
	data, err := os.ReadFile(job.JobFile)
	if err != nil {
		return "", fmt.Errorf("read job file of step %s: %w", job.Step, err)
	}
	return withForced(string(data)), nil
}

// ownJobFile writes a job's fields down as fio options. A depth or number of
// jobs that wasn't asked for is left to fio, so that the result marks it.
func ownJobFile(job engine.Job) string {
	opts := []option{
		{"filename", escapeTarget(job.Target)},
		{"rw", job.RW},
		{"bs", fmt.Sprint(job.BlockBytes)},
		{"ioengine", ioEngine(job)},
		{"direct", "1"},
		{"norandommap", "1"},
		{"randrepeat", "0"},
		{"refill_buffers", "1"},
		{"group_reporting", "1"},
		{"runtime", formatMs(job.Duration)},
	}
	if job.StopBytes > 0 {
		opts = append(opts, option{"io_size", fmt.Sprint(job.StopBytes)})
	} else {
		opts = append(opts, option{"time_based", "1"})
	}
	if job.Ramp > 0 {
		opts = append(opts, option{"ramp_time", formatMs(job.Ramp)})
	}
	if engine.Mixed(job.RW) {
		opts = append(opts, option{"rwmixread", fmt.Sprint(job.ReadPct)})
	}
	if job.QueueDepth > 0 {
		opts = append(opts, option{"iodepth", fmt.Sprint(job.QueueDepth)})
	}
	if job.Jobs > 0 {
		opts = append(opts, option{"numjobs", fmt.Sprint(job.Jobs)})
	}
	if job.OffsetBytes > 0 {
		opts = append(opts, option{"offset", fmt.Sprint(job.OffsetBytes)})
	}
	if job.SizeBytes > 0 {
		opts = append(opts, option{"size", fmt.Sprint(job.SizeBytes)})
	}
	if job.Pause > 0 {
		opts = append(opts, option{"thinktime", formatUs(job.Pause)}, option{"thinktime_iotime", formatUs(job.PauseEvery)})
	}
	if job.CompressPct > 0 {
		opts = append(opts, option{"buffer_compress_percentage", fmt.Sprint(job.CompressPct)})
	}
	if job.RateIOPS > 0 {
		opts = append(opts, option{"rate_iops", rateText(job)})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", job.Step)
	for _, o := range append(opts, forced()...) {
		fmt.Fprintf(&b, "%s=%s\n", o.name, o.value)
	}
	return b.String()
}

func ioEngine(job engine.Job) string {
	if job.IOEngine == "" {
		return "libaio"
	}
	return job.IOEngine
}

// rateText gives the demand to fio, which takes it per job and per direction. A
// rate of 0 would mean no limit.
func rateText(job engine.Job) string {
	perJob := float64(job.RateIOPS) / float64(max(1, job.Jobs))
	if !engine.Mixed(job.RW) {
		return fmt.Sprint(atLeastOne(perJob))
	}
	reads := perJob * float64(job.ReadPct) / 100
	return fmt.Sprintf("%d,%d", atLeastOne(reads), atLeastOne(perJob-reads))
}

func atLeastOne(rate float64) int { return max(1, int(rate+0.5)) }

// withForced puts the forced options at the end of every job section of the
// user's file, where they override what stands before.
func withForced(text string) string {
	var b strings.Builder
	inJob := false
	finish := func() {
		if inJob {
			for _, o := range forced() {
				fmt.Fprintf(&b, "%s=%s\n", o.name, o.value)
			}
		}
	}
	for line := range strings.Lines(text) {
		if name, ok := sectionName(line); ok {
			finish()
			inJob = name != "global"
		}
		b.WriteString(strings.TrimSuffix(line, "\n"))
		b.WriteByte('\n')
	}
	finish()
	return b.String()
}

// sectionName returns the name of a "[name]" line.
func sectionName(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "[") {
		return "", false
	}
	name, _, ok := strings.Cut(line[1:], "]")
	return name, ok
}
