package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"powerd/engine"
	"powerd/engine/target"
	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/host"
	"powerd/quarch"
)

// Options are what a bench is looked at with.
type Options struct {
	Config *config.Config
	Bench  config.Bench
	Served string                                       // to which powerd that serves the bench belongs; its module is not opened then
	Open   func(context.Context) (quarch.Module, error) // the bench's module, whatever its serial number
	Engine engine.Engine
	Fuse   func() error // why no twin can be served
	Clock  func() quarch.Clock
}

// Look finds out all that Judge wants to know. It takes a few seconds.
func Look(ctx context.Context, o Options) *Facts {
	began := o.Clock()
	f := &Facts{
		Now: time.Unix(0, began.UTCNs).UTC(), Bench: o.Bench, Served: o.Served, Out: o.Config.Out,
		PeriodNs: o.Config.Sampling.Default.Nanoseconds(), FuseErr: o.Fuse(),
	}
	f.Memory, f.MemoryErr = benchbook.Open(o.Config.State).Read(o.Bench.Name)
	f.StateErr = writable(o.Config.State)
	f.Fio, f.FioErr = o.Engine.Probe(ctx)
	f.FreeBytes, f.FreeErr = free("the folder of runs", o.Config.Out)
	f.lookAtDrive(ctx, o)
	if o.Bench.Drive != "" {
		_, f.SheetErr = datasheet.Find(o.Bench.Drive)
	}
	if port := o.Bench.Module.Port; !strings.HasPrefix(port, "tcp:") {
		f.Port = access(port, unix.R_OK|unix.W_OK)
	}
	if f.Served == "" {
		f.lookAtModule(ctx, o)
	}
	f.ClockPPM = slew(began, o.Clock())
	return f
}

func (f *Facts) lookAtDrive(ctx context.Context, o Options) {
	path := o.Bench.Target
	if path == "" {
		return
	}
	t, err := host.Look(path)
	if err != nil {
		f.TargetErr = err
		return
	}
	f.Target = &t
	if f.Access = access(path, unix.R_OK); f.Access.Err == nil {
		f.JobErr = o.Engine.Check(ctx, engine.Job{
			Step: "check", Target: t.Path, RW: "randread", BlockBytes: 4096, QueueDepth: 1, Jobs: 1,
			Duration: time.Second, IOEngine: o.Config.Fio.IOEngine, Dir: os.TempDir(),
		})
		f.BeaconErr = catalog.CheckReads(t.Path)
	}
	if f.Uses, f.UsesErr = target.Uses(t.Path); f.UsesErr == nil {
		f.Readers, f.UsesErr = target.Readers(t.Path)
	}
	if consents(&o.Bench, "write", "purge") {
		f.WriteErr = target.CheckWrite(t.Path)
	}
}

// lookAtModule asks the module who it is, and lets it stream for a second.
func (f *Facts) lookAtModule(ctx context.Context, o Options) {
	m, err := o.Open(ctx)
	if err != nil {
		f.ModuleErr = err
		return
	}
	defer func() {
		if err := m.Close(); err != nil && f.StreamErr == nil {
			f.StreamErr = err
		}
	}()
	info, err := m.Info(ctx)
	if err != nil {
		f.ModuleErr = err
		return
	}
	f.Info = &info
	if s, ok := m.(quarch.Sampler); ok && info.Link == quarch.LinkFramed && info.PeriodNs != f.PeriodNs {
		if f.PeriodErr = s.SetPeriod(ctx, f.PeriodNs); f.PeriodErr != nil {
			return
		}
		defer func() { // as it was found
			if err := s.SetPeriod(context.WithoutCancel(ctx), info.PeriodNs); err != nil && f.StreamErr == nil {
				f.StreamErr = err
			}
		}()
	}
	f.Stream, f.StreamErr = sample(ctx, m)
}

const (
	sampleTime = time.Second
	firstBlock = 10 * time.Second // a stripe may be 131 ms long, a poll round 80 ms
)

// sample takes a second of the module's stream.
func sample(ctx context.Context, m quarch.Module) (*Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, firstBlock)
	defer cancel()
	s := &Stream{Volts: map[quarch.Rail]float64{}}
	sums := map[quarch.Rail]mean{}
	var firstNs int64
	for b, err := range m.Stream(ctx) {
		if err != nil {
			return s, err
		}
		switch {
		case firstNs == 0: // its stripes were made before the second began
			firstNs = b.ReadAtNs
		case s.Seconds < sampleTime.Seconds():
			s.Stripes += uint64(b.Len())
			s.Lost += b.Lost
			s.Seconds = float64(b.ReadAtNs-firstNs) * 1e-9
			add(sums, b)
		default:
			cancel()
		}
	}
	for r, m := range sums {
		s.Volts[r] = m.sum / m.n
	}
	return s, nil
}

type mean struct{ sum, n float64 }

func add(sums map[quarch.Rail]mean, b *quarch.Block) {
	for k := range b.Traces {
		t := &b.Traces[k]
		for i := range b.Len() {
			if v, ok := t.Volts(i); ok {
				m := sums[t.Rail]
				sums[t.Rail] = mean{m.sum + float64(v), m.n + 1}
			}
		}
	}
}

// access asks whether this user may use a device, without opening it.
func access(path string, mode uint32) Access {
	var a Access
	if err := unix.Access(path, mode); err != nil {
		a.Err = fmt.Errorf("%s: %w", path, err)
	}
	if st, err := os.Stat(path); err == nil {
		if sys, ok := st.Sys().(*syscall.Stat_t); ok {
			if g, err := user.LookupGroupId(strconv.FormatUint(uint64(sys.Gid), 10)); err == nil {
				a.Group = g.Name
			}
		}
	}
	return a
}

// writable says why nothing can be written into the folder of what benches remember.
func writable(dir string) error {
	const aFile = 64 << 10 // far more than an entry takes
	switch room, err := free("the folder of what benches remember", dir); {
	case err != nil:
		return err
	case room < aFile:
		return fmt.Errorf("write to %s: no room is left", dir)
	}
	return nil
}

// free returns the room for a folder that need not exist yet; what is what it is for.
func free(what, dir string) (uint64, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return 0, fmt.Errorf("look at %s: %w", what, err)
	}
	for {
		st, err := os.Stat(dir)
		if err == nil && !st.IsDir() {
			err = fmt.Errorf("%s is no folder", dir)
		}
		if err == nil {
			break
		}
		if parent := filepath.Dir(dir); errors.Is(err, os.ErrNotExist) && parent != dir {
			dir = parent
			continue
		}
		return 0, fmt.Errorf("look at %s: %w", what, err)
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return 0, fmt.Errorf("write to %s: %w", dir, err)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	return fs.Bavail * uint64(fs.Bsize), nil
}

// slew returns how fast CLOCK_MONOTONIC runs against the raw clock, nil if the time
// between two readings is too short to tell.
func slew(a, b quarch.Clock) *float64 {
	raw := float64(b.RawNs - a.RawNs)
	if raw < 5e8 { // readings are good to a microsecond or so
		return nil
	}
	ppm := (float64(b.MonoNs-a.MonoNs)/raw - 1) * 1e6
	return &ppm
}
