package cli

import (
	"github.com/spf13/cobra"

	"powerd/powerd/internal/catalog"
)

// faultFlags say what is wrong with an emulated module.
type faultFlags struct {
	texts []string
	files []string
	list  []catalog.Fault // of both, once read
}

func (f *faultFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.texts, "fault", nil, "`FAULT` of the emulated module, as NAME:key=value,key=value…; may be repeated; 'powerd sim --help' lists them")
	c.Flags().StringArrayVar(&f.files, "faults", nil, "`FILE` of faults, a YAML list named faults")
}

// read reads what the flags say.
func (f *faultFlags) read() error {
	list, err := catalog.ParseFaults(f.texts)
	if err != nil {
		return usage("--fault: %w", err)
	}
	for _, path := range f.files {
		more, err := catalog.ReadFaults(path)
		if err != nil {
			return usage("--faults: %w", err)
		}
		list = append(list, more...)
	}
	if err := catalog.CheckFaults(list); err != nil {
		return usage("%w", err)
	}
	f.list = list
	return nil
}

// args returns the faults as flags.
func (f *faultFlags) args() []string {
	var out []string
	for _, text := range catalog.FaultTexts(f.list) {
		out = append(out, "--fault", text)
	}
	return out
}

func faultsHelp() string {
	return `--fault NAME:key=value,… switches on what goes wrong on a bench, several at once if
repeated; --faults FILE reads them from a list in YAML (each as it is typed, or a
mapping of name and keys). In brackets stand the keys and their defaults. "at" counts
from the first stripe of each stream, "stream" picks one of them, "p" is the chance
of each frame.

` + catalog.FaultsHelp()
}
