package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/emu"
	"powerd/quarch"
	"powerd/quarch/realtime"
)

// twinFlags are the flags of an emulation, shared by run and sim.
type twinFlags struct {
	dir    string
	size   config.Bytes
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
	c.Flags().DurationVar(&f.offset, "offset", 0, "time from the start of a stream to the emulated module's first stripe")
	c.Flags().DurationVar(&f.jitter, "jitter", 0, "largest extra delay of what the emulated module sends")
	c.Flags().IntVar(&f.fifo, "fifo", 1<<20, "size of the emulated module's buffer in bytes")
	c.Flags().StringVar(&f.serial, "serial", "QTL1999-02-001", "serial number of the emulated module")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of the emulation's noise")
	f.faults.add(c)
	c.Flags().StringVar(&f.place.link, "symlink", "", "path of a link to the module's pseudo-terminal, as /dev/serial/by-id has them; it goes when the module goes")
	limit(c, map[string]func(string) string{
		"ppm": setting("twin.ppm"), "offset": setting("twin.offset"), "jitter": setting("twin.jitter"),
		"fifo": fifoBytes, "serial": serialNumber,
	})
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
		Name: name, Scale: f.scale, Dir: f.dir, SizeBytes: int64(f.size), Seed: f.seed, Sim: f.sim(), Now: clock.Mono,
	}
}

// args returns the flags as `powerd sim --twin` takes them.
func (f *twinFlags) args(name string) []string {
	return append([]string{
		"sim", "--twin", name, "--control",
		"--dir", f.dir, "--size", strconv.FormatInt(int64(f.size), 10), "--scale", strconv.Itoa(f.scale),
		"--ppm", strconv.FormatFloat(f.ppm, 'g', -1, 64), "--offset", f.offset.String(), "--jitter", f.jitter.String(),
		"--fifo", strconv.Itoa(f.fifo), "--serial", f.serial, "--seed", strconv.FormatUint(f.seed, 10),
	}, f.faults.args()...)
}

// simFlags are what `powerd sim` knows beside the emulation.
type simFlags struct {
	twinFlags
	twin     string
	known    catalog.TwinFacts // of twin
	tcp      string
	link     string
	format   string
	dialect  []string
	discover string
	off      bool
	control  bool
}

func (a *app) simCmd() *cobra.Command {
	var f simFlags
	c := &cobra.Command{
		Use:   "sim",
		Short: "Run an emulated power module, and a drive in a file that it supplies",
		Long: `sim runs an emulated power module, on a pseudo-terminal or on TCP, that any client
can talk to. Both links work: the terminal link (19200 8N1, echo and prompt) and the
framed link. It prints where it is, and runs until Ctrl-C.

With --twin the module supplies a drive: a file that any IO engine can open, and what
the module measures follows the IO that the file really serves. That needs /dev/fuse,
and root or fusermount3. Without, the load is constant: 0.42 A at 5 V, 0.0734 A at 12 V,
and up to 1 mA of noise either way while it is off.

` + faultsHelp() + `
--dialect key=value sets what real modules differ in, or what is not known of them:

` + catalog.DialectHelp(),
		Example: `  powerd sim --twin seagate-1200-400   a drive in a file, the module on a pseudo-terminal
  powerd sim --tcp 127.0.0.1:9760      a module alone, on TCP
  powerd sim --tcp 127.0.0.1:9760 --discover 127.0.0.1:30303 --format hdplus
  powerd sim --twin seagate-1200-400 --fault lost-byte:p=0.001 --fault unplug:at=20s,for=5s`,
		Args: args(0, 0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c); err != nil {
				return err
			}
			return quiet(c.Context(), a.sim(c.Context(), &f))
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.twin, "twin", "", "drive to emulate, or a twin file: "+strings.Join(catalog.TwinNames(), ", "))
	c.Flags().StringVar(&f.dir, "dir", catalog.TwinDir(os.TempDir(), 0), "where the twin's file is mounted")
	f.size = 2 << 30
	c.Flags().Var((*sizeValue)(&f.size), "size", "`SIZE` of the twin, its flash with it")
	c.Flags().IntVar(&f.scale, "scale", 4, "the twin's IOPS are divided and its energies multiplied by this")
	limit(c, map[string]func(string) string{"size": setting("twin.size"), "scale": setting("twin.scale")})
	c.Flags().StringVar(&f.tcp, "tcp", "", "serve on this address instead of a pseudo-terminal")
	c.Flags().StringVar(&f.link, "link", "", "terminal or framed; by default either")
	c.Flags().StringVar(&f.format, "format", "hd", "of the stream: "+strings.Join(catalog.SimFormats(), ", "))
	c.Flags().StringArrayVar(&f.dialect, "dialect", nil, "`KEY=VALUE` that the module differs in; may be repeated")
	c.Flags().StringVar(&f.discover, "discover", "", "answer discovery on this UDP `ADDRESS`, with --tcp; clients ask port 30303")
	limit(c, map[string]func(string) string{"tcp": setting("serve.listen"), "discover": setting("serve.listen")})
	c.Flags().BoolVar(&f.off, "off", false, "the drive has no power until it is switched on")
	c.Flags().BoolVar(&f.control, "control", false, "speak JSON with a parent on standard input and output")
	if err := c.Flags().MarkHidden("control"); err != nil {
		panic(err) // the flag is two lines above
	}
	return c
}

// knownTwin returns what is known of a twin, and refuses one that there is not; "" is
// none.
func knownTwin(name string) (catalog.TwinFacts, error) {
	if name == "" {
		return catalog.TwinFacts{}, nil
	}
	facts, err := catalog.LookUpTwin(name)
	if err != nil {
		return facts, usage("--twin: %w", err)
	}
	return facts, nil
}

// check refuses flags that do not go together, and reads the faults.
func (f *simFlags) check(c *cobra.Command) error {
	switch f.link {
	case "", quarch.LinkTerminal, quarch.LinkFramed:
	default:
		return usage("--link %q: want %s or %s", f.link, quarch.LinkTerminal, quarch.LinkFramed)
	}
	if f.twin == "" {
		for _, name := range []string{"dir", "size", "scale", "control"} {
			if c.Flags().Changed(name) {
				return usage("--%s: it is about a drive; add --twin NAME", name)
			}
		}
	}
	switch {
	case f.tcp != "" && f.place.link != "":
		return usage("--symlink: it leads to a pseudo-terminal; take it or --tcp out")
	case f.tcp == "" && f.discover != "":
		return usage("--discover: it tells of a module on TCP; add --tcp ADDRESS")
	}
	var err error
	if f.format, err = catalog.ParseFormat(f.format); err != nil {
		return usage("--format: %w", err)
	}
	if f.format != "hd" && !c.Flags().Changed("serial") {
		f.serial = "" // that of the family
	}
	if f.known, err = knownTwin(f.twin); err != nil {
		return err
	}
	return f.faults.read()
}

// module returns what the emulated module is to be.
func (f *simFlags) module() (catalog.SimOptions, error) {
	o := f.sim()
	o.Link, o.Off, o.Format = f.link, f.off, f.format
	var err error
	if o.Dialect, err = catalog.ParseDialect(f.dialect); err != nil {
		return o, usage("--%w", err) // it begins with "dialect KEY"
	}
	return o, nil
}

func (a *app) sim(ctx context.Context, f *simFlags) (err error) {
	if f.control {
		return emu.Serve(ctx, f.options(f.twin), a.in, a.out)
	}
	// Hardware does not wait for a processor; its reader has the same precedence.
	if err := realtime.Process(); err != nil {
		fmt.Fprintf(a.err, "powerd sim: %v: on a busy machine it may overrun\n", err)
	}
	o, err := f.module()
	if err != nil {
		return err
	}
	closeLog, err := f.place.keepLog(&o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	if f.twin == "" {
		return a.serveModule(ctx, f, catalog.NewSim(o, catalog.ConstantLoad(), clock.Mono), "")
	}
	catalog.SweepTwins(os.TempDir())
	t := f.options(f.twin)
	t.Sim = o
	twin, err := catalog.OpenTwin(ctx, t)
	if err != nil {
		return asUsage(err)
	}
	defer func() { err = errors.Join(err, twin.Close()) }()
	return a.serveModule(ctx, f, twin.Module,
		fmt.Sprintf("drive %s (%d bytes, scale %d) at %s\n", f.known.Name, f.size, f.scale, twin.Mount.Path()))
}

// serveModule puts the module where clients find it, says where and what it supplies, and
// returns when ctx is done.
func (a *app) serveModule(ctx context.Context, f *simFlags, m *catalog.Sim, supplies string) error {
	if f.tcp != "" {
		return a.serveTCP(ctx, f, m, supplies)
	}
	port, wait, err := m.ServePTY(ctx)
	if err != nil {
		return asUsage(err)
	}
	port, unlink, err := f.place.show(port)
	defer unlink()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "module %s on %s\n%s", m.Serial(), port, supplies)
	return wait()
}

func (a *app) serveTCP(ctx context.Context, f *simFlags, m *catalog.Sim, supplies string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	bound, wait, err := m.ServeTCP(ctx, f.tcp)
	if err != nil {
		return asUsage(err)
	}
	asked, heard := "", func() error { return nil }
	if f.discover != "" {
		if asked, heard, err = m.ServeDiscovery(ctx, f.discover); err != nil {
			stop()
			return errors.Join(asUsage(err), wait())
		}
		asked = fmt.Sprintf("discovery on udp:%s\n", asked)
	}
	fmt.Fprintf(a.out, "module %s on tcp:%s\n%s%s", m.Serial(), bound, supplies, asked)
	return errors.Join(wait(), heard())
}
