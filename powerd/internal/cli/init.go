package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"powerd/engine/target"
	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/host"
	"powerd/powerd/internal/pair"
	"powerd/powerd/internal/setup"
)

// initFlags are those of powerd init.
type initFlags struct {
	given     setup.Given
	broadcast string
	yes       bool
}

func (a *app) initCmd() *cobra.Command {
	var set *settings
	var f initFlags
	c := &cobra.Command{
		Use:   "init",
		Short: "Write down a bench: which drive hangs on which module",
		Long: `init lists the power modules that answer and the drives of this machine, asks which
belong together, and writes a commented bench into the file of settings. What stands
there stays; the file as it was is kept beside it as .bak.

It asks the modules who they are and sends nothing to a drive. With --yes it asks
nobody: what no flag says is left out.`,
		Example: `  powerd init
  powerd init --bench left --module /dev/ttyUSB0 --target /dev/disk/by-id/scsi-… --yes`,
		Args: args(0, 0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			err := a.writeBench(c.Context(), set, f)
			if c.Context().Err() != nil {
				return errors.Join(errors.New("interrupted; nothing was written"), c.Context().Err())
			}
			return err
		},
	}
	set = addSettings(c, map[string]string{"module": "module.port", "link": "module.link", "baud": "module.baud"})
	c.Flags().StringVar(&f.given.Name, "bench", "", "name of the bench")
	c.Flags().StringVar(&f.given.Target, "target", "", "the drive: its path under /dev/disk/by-id, or a file; 0 for none yet")
	c.Flags().StringVar(&f.given.Drive, "drive", "", "drive file: a built-in one, a path, or none")
	c.Flags().StringVar(&f.given.Rails, "rails", "", "rails that the drive uses, as 5v,12v")
	c.Flags().StringVar(&f.given.Fixture, "fixture", "", "what is between module and drive")
	c.Flags().BoolVar(&f.yes, "yes", false, "ask nobody, and write")
	c.Flags().StringVar(&f.broadcast, "broadcast", "255.255.255.255", "address to look for modules on the network")
	return c
}

func (a *app) writeBench(ctx context.Context, set *settings, f initFlags) error {
	file, exists := set.place()
	if !exists {
		set.file = os.DevNull // as if it were empty
	}
	cfg, err := set.read()
	if err != nil {
		return err
	}
	b, ask, err := a.walk(ctx, set, cfg, f)
	if err != nil {
		return asUsage(err)
	}
	fmt.Fprintf(a.out, "\nbenches:\n%s\n", b.Text())
	if ask != nil {
		answer, err := ask(ctx, "Write this into "+file+"? [y/N]: ")
		if err != nil {
			return err
		}
		if answer = strings.ToLower(answer); answer != "y" && answer != "yes" {
			return usage("nothing was written")
		}
	}
	backup, err := config.AddBench(file, b)
	if err != nil {
		return asUsage(err)
	}
	fmt.Fprintf(a.out, "wrote bench %s into %s", b.Name, file)
	if backup != "" {
		fmt.Fprintf(a.out, " (as it was: %s)", backup)
	}
	return a.afterInit(b.Name, file)
}

// walk lists what there is and asks what belongs together; ask is nil where nobody is
// to be asked.
func (a *app) walk(ctx context.Context, set *settings, cfg *config.Config, f initFlags) (b config.NewBench, ask func(context.Context, string) (string, error), err error) {
	fmt.Fprintln(a.err, "powerd: looking for power modules")
	found, err := a.findModules(ctx, cfg, set.given("module") != "", f.broadcast)
	if err != nil && len(found) == 0 {
		return b, nil, err
	}
	drives, err := host.Drives()
	if err != nil && f.given.Target == "" {
		return b, nil, err
	}
	if !f.yes {
		answers := &lineByLine{bufio.NewReader(a.in)}
		ask = func(ctx context.Context, question string) (string, error) {
			fmt.Fprint(a.out, question)
			return pair.Answer(ctx, answers)
		}
	}
	b, err = setup.Walk(ctx, setup.Options{
		Config: cfg, Modules: found, Drives: drives, Uses: target.Uses, Given: f.given, Ask: ask, Out: a.out,
	})
	return b, ask, err
}

// findModules asks the one module that was named, or looks everywhere, and where the
// settings say that one is.
func (a *app) findModules(ctx context.Context, cfg *config.Config, named bool, broadcast string) ([]catalog.Found, error) {
	ask := func(m config.Module) ([]catalog.Found, error) {
		o := bench.ModuleOptions(m, a.logger(false))
		o.Timeout = min(o.Timeout, devicesTimeout)
		return catalog.FindModules(ctx, o, broadcast)
	}
	m := cfg.Module
	if other, ok := cfg.Modules[m.Port]; ok {
		m = other
	}
	if named {
		return ask(m)
	}
	known := []config.Module{m}
	for _, name := range slices.Sorted(maps.Keys(cfg.Modules)) {
		known = append(known, cfg.Modules[name])
	}
	m.Port = ""
	found, err := ask(m)
	for _, m := range known {
		if m.Port == "" || slices.ContainsFunc(found, func(f catalog.Found) bool { return config.SamePort(f.Port, m.Port) }) {
			continue
		}
		one, failed := ask(m)
		found, err = append(found, one...), errors.Join(err, failed)
	}
	return found, err
}

func (a *app) afterInit(name, file string) error {
	with := ""
	if strings.ContainsAny(name, " \t'\"\\$`&;|<>()*?!#~") {
		name = "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	if config.Find(os.Environ()) != file {
		with = " --config " + file
	}
	_, err := fmt.Fprintf(a.out, `
next:
  powerd check %[1]s%[2]s                     is the bench as it should be?
  powerd run first-look --bench %[1]s%[2]s    three minutes, reads only
`, name, with)
	return err
}

// place is the file that a new setting goes into, and whether it exists.
func (s *settings) place() (file string, exists bool) {
	file = s.file
	if file == "" {
		file = config.Find(os.Environ())
	}
	if file == "" {
		file = "powerd.yaml"
	}
	_, err := os.Stat(file)
	return file, !errors.Is(err, fs.ErrNotExist)
}

// lineByLine gives a line a read, so that who reads one answer takes no other with it.
type lineByLine struct{ from *bufio.Reader }

func (l *lineByLine) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c, err := l.from.ReadByte()
		if err != nil {
			if n > 0 {
				return n, nil
			}
			return 0, err
		}
		p[n] = c
		n++
		if c == '\n' {
			break
		}
	}
	return n, nil
}
