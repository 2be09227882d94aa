package fio

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"powerd/engine"
)

// Every field that fio would misread, or run as something else than was meant,
// is refused before anything is started; the message names it.
func TestCheckRefuses(t *testing.T) {
	target := targetFile(t, 1<<20)
	good := engine.Job{
		Step: "read-4k", Target: target, RW: "read", BlockBytes: 4096, QueueDepth: 1, Jobs: 1,
		Duration: time.Second, Dir: t.TempDir(),
	}
	e := New(Options{Now: monotonic})
	if err := e.Check(t.Context(), good); err != nil {
		t.Fatalf("good job: %v", err)
	}
	for _, c := range []struct {
		name string
		edit func(*engine.Job)
		want string
	}{
		{"no step", func(j *engine.Job) { j.Step = "" }, "name"},
		{"a step that is a path", func(j *engine.Job) { j.Step = "../x" }, "not allowed"},
		{"no folder", func(j *engine.Job) { j.Dir = filepath.Join(target, "no") }, "does not exist"},
		{"unknown rw", func(j *engine.Job) { j.RW = "trim" }, "rw is"},
		{"half a sector", func(j *engine.Job) { j.BlockBytes = 256 }, "block size"},
		{"101 % reads", func(j *engine.Job) { j.ReadPct = 101 }, "share of reads"},
		{"negative depth", func(j *engine.Job) { j.QueueDepth = -1 }, "negative"},
		{"no duration", func(j *engine.Job) { j.Duration = 0 }, "duration"},
		{"depth on psync", func(j *engine.Job) { j.IOEngine, j.QueueDepth = "psync", 8 }, "one IO in flight"},
		{"option in the engine's name", func(j *engine.Job) { j.IOEngine = "sync\nexec_prerun=x" }, "ioengine is"},
		{"variable in the target", func(j *engine.Job) { j.Target = "/dev/${X}" }, "interpret"},
		{"relative target", func(j *engine.Job) { j.Target = "sda" }, "absolute"},
		{"block larger than the target", func(j *engine.Job) { j.BlockBytes = 2 << 20 }, "the job needs"},
		{"character device", func(j *engine.Job) { j.Target = "/dev/null" }, "character device"},
	} {
		job := good
		c.edit(&job)
		if err := e.Check(t.Context(), job); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A target whose name holds a colon is one file, not two.
func TestColonsInTargets(t *testing.T) {
	const target = "/dev/disk/by-path/pci-0000:00:1f.2-ata-1"
	text := ownJobFile(engine.Job{Step: "s", Target: target, RW: "read", BlockBytes: 4096, Duration: time.Second})
	if !strings.Contains(text, `filename=/dev/disk/by-path/pci-0000\:00\:1f.2-ata-1`+"\n") {
		t.Errorf("job file:\n%s", text)
	}
	if got := splitTargets(escapeTarget(target) + ":/dev/sdb"); !slices.Equal(got, []string{target, "/dev/sdb"}) {
		t.Errorf("split %q", got)
	}
}

// A demand of 1000 IOPS on 4 jobs is 250 for each; of a mix of 70 % reads, 700
// and 300 on one job. A rate of 0 would be no limit.
func TestDemandIsPerJobAndDirection(t *testing.T) {
	for _, c := range []struct {
		job  engine.Job
		want string
	}{
		{engine.Job{RW: "randread", RateIOPS: 1000, Jobs: 4}, "250"},
		{engine.Job{RW: "randrw", RateIOPS: 1000, ReadPct: 70}, "700,300"},
		{engine.Job{RW: "rw", RateIOPS: 10, ReadPct: 100, Jobs: 1}, "10,1"},
	} {
		if got := rateText(c.job); got != c.want {
			t.Errorf("%+v: rate_iops=%s, want %s", c.job, got, c.want)
		}
	}
}

// What a user's job file may not do when powerd runs it.
func TestJobFilesThatAreRefused(t *testing.T) {
	e := New(Options{Now: monotonic})
	target := targetFile(t, 1<<20)
	for _, c := range []struct{ name, text, want string }{
		{"starts a program", "[a]\nexec_prerun=reboot\n", ":2: exec_prerun"},
		{"another target", "[a]\nrw=read\nfilename=/dev/sda\n", ":3: filename=/dev/sda is not the target"},
		{"relative target", "[a]\nfilename=data\n", "relative"},
		{"target and another", "[a]\nfilename=" + target + ":/dev/sda\n", "/dev/sda"},
		{"parts elsewhere", "[a]\ninclude other.fio\n", "included"},
		{"files in a folder", "[a]\ndirectory=/tmp\n", "directory"},
		{"deletes files", "[a]\nunlink=1\n", ":2: unlink"},
		{"a region that ends behind the target", "[a]\nsize=1m\noffset=4k\n", "has 1048576 bytes, the job needs 1052672"},
		{"clones beyond the target", "[a]\nsize=512k\noffset_increment=512k\nnumjobs=3\n", "the job needs 1572864"},
		{"a size that is none", "[a]\nsize=lots\n", ":2: size"},
		{"runs a program as its IO", "[a]\nioengine=exec\nprogram=/sbin/reboot\n", ":2: ioengine=exec is not run"},
		{"loads code", "[global]\nioengine = external:/tmp/x.so\n[a]\n", ":2: ioengine=external:/tmp/x.so"},
		{"replays what names files", "[a]\nread_iolog=/tmp/log\n", ":2: read_iolog"},
		{"no job", "[global]\nrw=read\n", "no job section"},
	} {
		job := engine.Job{Step: "s", Target: target, Dir: t.TempDir(), JobFile: filepath.Join(t.TempDir(), "user.fio")}
		writeFile(t, job.JobFile, c.text)
		if err := e.Check(t.Context(), job); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	job := engine.Job{Step: "s", Dir: t.TempDir(), JobFile: filepath.Join(t.TempDir(), "user.fio")}
	writeFile(t, job.JobFile, "[a]\nrw=read\n")
	if err := e.Check(t.Context(), job); !errors.Is(err, engine.ErrTarget) {
		t.Errorf("no target anywhere: %v", err)
	}
}

// A job file that asks for more than the target holds is refused before fio sees
// it: fio, told to create nothing, would delete the file.
func TestTooLargeARegionDoesNotCostTheTarget(t *testing.T) {
	target := targetFile(t, 1<<20)
	job := engine.Job{Step: "s", Target: target, Dir: t.TempDir(), JobFile: filepath.Join(t.TempDir(), "user.fio")}
	writeFile(t, job.JobFile, "[a]\nrw=read\nbs=4k\nsize=8m\n")
	if _, err := New(Options{Now: monotonic}).Start(t.Context(), job); !errors.Is(err, engine.ErrTarget) {
		t.Errorf("start: %v, want ErrTarget", err)
	}
	if st, err := os.Stat(target); err != nil || st.Size() != 1<<20 {
		t.Errorf("target afterwards: %v, %v", st, err)
	}
}

// Forced options stand at the end of every job section, none in the global one.
func TestForcedOptionsEndEverySection(t *testing.T) {
	got := withForced("; mine\n[global]\nbs=4k\n[a]\nthread=0\n[b]\nrw=read")
	want := "; mine\n[global]\nbs=4k\n[a]\nthread=0\n" + "allow_file_create=0\nthread=1\nunified_rw_reporting=none\n" +
		"[b]\nrw=read\n" + "allow_file_create=0\nthread=1\nunified_rw_reporting=none\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// On a host with a decimal comma fio is told to print points.
func TestLocaleIsC(t *testing.T) {
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	path := script(t, `echo "locale $LC_ALL"`)
	res, err := start(t.Context(), t, New(Options{Path: path, Now: monotonic}), randread(t, time.Second))
	var jobErr *engine.JobError
	if res != nil || !errors.As(err, &jobErr) || !slices.Equal(jobErr.Messages, []string{"locale C"}) {
		t.Errorf("%v, %v", res, err)
	}
}

// Which options make stamps monotonic depends on the version.
func TestEpochOptionsByVersion(t *testing.T) {
	for v, want := range map[Version]string{
		{3, 33}: "log_unix_epoch log_alternate_epoch_clock_id",
		{3, 36}: "log_alternate_epoch log_alternate_epoch_clock_id job_start_clock_id",
	} {
		var names []string
		for _, o := range epochOptions(v) {
			names = append(names, o.name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

// Short steps get shorter log windows, so that ten of them fit, but never under
// 100 ms; jobs of hours get fewer intermediate reports.
func TestPacesFollowTheJobsLength(t *testing.T) {
	for _, c := range []struct{ duration, window, status time.Duration }{
		{500 * time.Millisecond, 100 * time.Millisecond, time.Second},
		{3 * time.Second, 300 * time.Millisecond, time.Second},
		{time.Minute, 500 * time.Millisecond, time.Second},
		{6 * time.Hour, 500 * time.Millisecond, 6 * time.Second},
	} {
		job := engine.Job{Duration: c.duration}
		if w, s := logWindow(job), statusInterval(job); w != c.window || s != c.status {
			t.Errorf("%v: windows of %v, reports every %v; want %v, %v", c.duration, w, s, c.window, c.status)
		}
	}
}

// A block device's size is found without opening it, and a mounted one is not
// written to. Which devices a host has differs; the one that holds the root file
// system is mounted on every host that has one.
func TestMountedDeviceIsNotWritten(t *testing.T) {
	device := rootDevice(t)
	job := engine.Job{
		Step: "w", Target: device, RW: "write", BlockBytes: 4096, Duration: time.Second, Dir: t.TempDir(),
	}
	e := New(Options{Now: monotonic})
	if err := e.Check(t.Context(), job); !errors.Is(err, engine.ErrTarget) || !strings.Contains(err.Error(), "mounted") {
		t.Errorf("write to %s: %v", device, err)
	}
	job.RW = "read"
	if err := e.Check(t.Context(), job); err != nil {
		t.Errorf("read of %s: %v", device, err)
	}
}

// rootDevice returns the block device that is mounted at /.
func rootDevice(t *testing.T) string {
	t.Helper()
	for line := range strings.Lines(readFile(t, "/proc/self/mountinfo")) {
		fields := strings.Fields(line)
		if len(fields) < 5 || fields[4] != "/" {
			continue
		}
		link, err := os.Readlink("/sys/dev/block/" + fields[2])
		if err != nil {
			break
		}
		path := "/dev/" + filepath.Base(link)
		if st, err := os.Stat(path); err == nil && st.Mode()&os.ModeDevice != 0 {
			return path
		}
	}
	t.Skip("/ is on no block device that this test can see")
	return ""
}
