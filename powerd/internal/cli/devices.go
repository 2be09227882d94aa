package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/catalog"
)

func (a *app) devicesCmd() *cobra.Command {
	var s *settings
	var broadcast string
	var asJSON bool
	c := &cobra.Command{
		Use:   "devices",
		Short: "List serial ports and modules that answer",
		Long:  `devices asks on every serial port, and by broadcast on the network, who is there. It sends queries only.`,
		Example: `  powerd devices
  powerd devices --json
  powerd devices --module /dev/pts/3     ask on this port only`,
		Args: args(0, 0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.read()
			if err != nil {
				return err
			}
			o := bench.ModuleOptions(cfg.Module, a.logger(false))
			o.Timeout = min(o.Timeout, devicesTimeout)
			return a.devices(c.Context(), o, broadcast, asJSON)
		},
	}
	s = addSettings(c, map[string]string{"module": "module.port", "link": "module.link", "baud": "module.baud"})
	c.Flags().StringVar(&broadcast, "broadcast", "255.255.255.255", "address to look for modules on the network")
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return c
}

// device is what `powerd devices --json` prints of a port.
type device struct {
	Port     string `json:"port"`
	Serial   string `json:"serial,omitempty"`
	Model    string `json:"model,omitempty"`
	Firmware string `json:"firmware,omitempty"`
	Link     string `json:"link,omitempty"`
	Why      string `json:"why,omitempty"` // why it is no module that answers
}

func (a *app) devices(ctx context.Context, o catalog.ModuleOptions, broadcast string, asJSON bool) error {
	found, err := catalog.FindModules(ctx, o, broadcast)
	rows := []device{}
	for _, f := range found {
		if f.Err != nil {
			rows = append(rows, device{Port: f.Port, Why: f.Err.Error()})
			continue
		}
		rows = append(rows, device{Port: f.Port, Serial: f.Info.Serial, Model: f.Info.Model, Firmware: f.Info.Firmware, Link: f.Info.Link})
	}
	if asJSON {
		return errors.Join(err, a.json(rows))
	}
	w := a.columns()
	fmt.Fprintln(w, "PORT\tSERIAL NUMBER\tFIRMWARE\tLINK\tMODEL")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Port, orDash(r.Serial), orDash(r.Firmware), orDash(r.Link), cmp.Or(r.Model, r.Why))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(found) == 0 && err == nil {
		fmt.Fprintln(a.out, "no serial port and no module on the network; is it powered and plugged in? `powerd sim` runs an emulated one")
	}
	return err
}
