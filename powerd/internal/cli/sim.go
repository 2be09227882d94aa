package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/emu"
	"powerd/quarch"
	"powerd/quarch/realtime"
)

// twinFlags are the flags of an emulation, shared by run, sim and twin.
type twinFlags struct {
	dir    string
	size   int64
	scale  int
	seed   uint64
	ppm    float64
	offset time.Duration
	jitter time.Duration
	fifo   int
	serial string
	place  simPlace
	faults faultFlags
}

func (f *twinFlags) add(c *cobra.Command) {
	c.Flags().Float64Var(&f.ppm, "ppm", 0, "drift of the emulated module's clock in ppm; positive = its period is long")
	c.Flags().DurationVar(&f.offset, "offset", 0, "time from `rec stream` to the emulated module's first stripe")
	c.Flags().DurationVar(&f.jitter, "jitter", 0, "largest extra delay of what the emulated module sends")
	c.Flags().IntVar(&f.fifo, "fifo", 1<<20, "size of the emulated module's buffer in bytes")
	c.Flags().StringVar(&f.serial, "serial", "QTL1999-02-001", "serial number of the emulated module")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of the emulation's noise")
	f.faults.add(c)
	c.Flags().StringVar(&f.place.link, "symlink", "", "path of a link to the module's pseudo-terminal, as /dev/serial/by-id has them; it goes when the module goes")
	c.Flags().StringVar(&f.place.log, "log", "", "file that every command to the module is written to, a JSON object a line")
}

func (f *twinFlags) sim() catalog.SimOptions {
	return catalog.SimOptions{
		Serial: f.serial, OffsetNs: f.offset.Nanoseconds(), DriftPPM: f.ppm,
		ArrivalJitterNs: f.jitter.Nanoseconds(), FIFOBytes: f.fifo,
		Faults: f.faults.list, Seed: f.seed, Moved: f.place.moved,
	}
}

func (f *twinFlags) options(name string) catalog.TwinOptions {
	return catalog.TwinOptions{
		Name: name, Scale: f.scale, Dir: f.dir, SizeBytes: f.size, Seed: f.seed, Sim: f.sim(), Now: clock.Mono,
	}
}

// args returns the flags as `powerd twin` takes them.
func (f *twinFlags) args(name string) []string {
	return append([]string{
		"twin", name, "--control",
		"--dir", f.dir, "--size", strconv.FormatInt(f.size, 10), "--scale", strconv.Itoa(f.scale),
		"--ppm", strconv.FormatFloat(f.ppm, 'g', -1, 64), "--offset", f.offset.String(), "--jitter", f.jitter.String(),
		"--fifo", strconv.Itoa(f.fifo), "--serial", f.serial, "--seed", strconv.FormatUint(f.seed, 10),
	}, f.faults.args()...)
}

func (a *app) simCmd() *cobra.Command {
	var f twinFlags
	var tcp, link string
	var off bool
	c := &cobra.Command{
		Use:   "sim",
		Short: "Run an emulated power module on a pseudo-terminal or TCP",
		Long: `sim runs an emulated HD power module with a constant load (0.42 A at 5 V, 0.0734 A
at 12 V). It prints where it is, and runs until Ctrl-C. Both links work: the
terminal link (19200 8N1, echo and prompt) and the framed link.

` + faultsHelp(),
		Example: `  powerd sim                        on a pseudo-terminal, whose path is printed
  powerd sim --tcp 127.0.0.1:9760   on TCP
  powerd sim --fault lost-byte:p=0.001 --fault unplug:at=20s,for=5s`,
		Args: args(0, 0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.faults.read(); err != nil {
				return err
			}
			o := f.sim()
			o.Link, o.Off = link, off
			return quiet(c.Context(), a.sim(c.Context(), o, f.place, tcp))
		},
	}
	f.add(c)
	c.Flags().StringVar(&tcp, "tcp", "", "serve on this address instead of a pseudo-terminal")
	c.Flags().StringVar(&link, "link", "", "terminal or framed; by default either")
	c.Flags().BoolVar(&off, "off", false, "the drive has no power until it is switched on")
	return c
}

func (a *app) sim(ctx context.Context, o catalog.SimOptions, place simPlace, tcp string) (err error) {
	switch o.Link {
	case "", quarch.LinkTerminal, quarch.LinkFramed:
	default:
		return usage("--link %q: want %s or %s", o.Link, quarch.LinkTerminal, quarch.LinkFramed)
	}
	// Hardware does not wait for a processor; its reader has the same precedence.
	if err := realtime.Process(); err != nil {
		fmt.Fprintf(a.err, "powerd sim: %v: on a busy machine it may overrun\n", err)
	}
	closeLog, err := place.keepLog(&o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	m := catalog.NewSim(o, catalog.ConstantLoad(), clock.Mono)
	if tcp != "" {
		bound, wait, err := m.ServeTCP(ctx, tcp)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "module %s on tcp:%s\n", o.Serial, bound)
		return wait()
	}
	port, wait, err := m.ServePTY(ctx)
	if err != nil {
		return err
	}
	port, unlink, err := place.show(port)
	defer unlink()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "module %s on %s\n", o.Serial, port)
	return wait()
}

func (a *app) twinCmd() *cobra.Command {
	var f twinFlags
	var control bool
	c := &cobra.Command{
		Use:   "twin NAME",
		Short: "Run a drive twin: a file that draws power, and the module in its supply",
		Long: `twin mounts an emulated drive as a file that any IO engine can open, and runs the
emulated power module in its supply. What the module measures follows the IO that
the file really serves. It prints where both are, and runs until Ctrl-C.

Needs /dev/fuse, and root or fusermount3.

` + faultsHelp(),
		Example: "  powerd twin seagate-1200-400",
		Args:    args(1, 1, "the name of a twin"),
		RunE: func(c *cobra.Command, names []string) error {
			if err := f.faults.read(); err != nil {
				return err
			}
			return quiet(c.Context(), a.twin(c.Context(), names[0], f, control))
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.dir, "dir", filepath.Join(os.TempDir(), "powerd-twin"), "where the drive's file is mounted")
	c.Flags().Int64Var(&f.size, "size", 1<<30, "size of the drive in bytes")
	c.Flags().IntVar(&f.scale, "scale", 4, "IOPS are divided and energies multiplied by this")
	c.Flags().BoolVar(&control, "control", false, "speak JSON with a parent on standard input and output")
	if err := c.Flags().MarkHidden("control"); err != nil {
		panic(err) // the flag is two lines above
	}
	return c
}

func (a *app) twin(ctx context.Context, name string, f twinFlags, control bool) (err error) {
	if control {
		return emu.Serve(ctx, f.options(name), a.in, a.out)
	}
	o := f.options(name)
	closeLog, err := f.place.keepLog(&o.Sim)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	t, err := catalog.OpenTwin(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	port, wait, err := t.Module.ServePTY(ctx)
	if err != nil {
		return err
	}
	port, unlink, err := f.place.show(port)
	defer unlink()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "module %s on %s\ndrive %s (%d bytes, scale %d) at %s\n", f.serial, port, name, f.size, f.scale, t.Mount.Path())
	return wait()
}
