package cli

import (
	"time"

	"github.com/spf13/cobra"

	"powerd/powerd/internal/suite"
)

func (a *app) recordCmd() *cobra.Command {
	var f runFlags
	var length time.Duration
	c := &cobra.Command{
		Use:   "record --for TIME",
		Short: "Record what the drive draws while something else loads it",
		Long: `record reads the power module for a while and starts no IO engine: for a database, a
benchmark in a virtual machine, an fio of another shell. Where the target is known, what
reaches it is followed by the kernel's counters, so that the report has IOPS and MB/s per
milliwatt all the same; reading them sends nothing to the drive.

While it runs, ` + "`powerd mark`" + ` in another shell says where something begins and ends. Ctrl-C
ends the recording early; what was recorded until then is reported.`,
		Example: `  powerd record --for 1h --bench left
  powerd record --for 30m --module /dev/ttyUSB0 --target /dev/disk/by-id/ata-X
  powerd record --for 10s --twin seagate-1200-400`,
		Args: args(0, 0, "no argument; how long it records stands in --for"),
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("for") {
				return usage("--for: how long is to be recorded? For example --for 1h; Ctrl-C ends it early")
			}
			s, err := suite.Recording(length)
			if err != nil {
				return usage("--for %v: it is more than 0, up to 720h", length)
			}
			return a.run(c.Context(), s, f)
		},
	}
	f.add(c)
	c.Flags().Lookup("target").Usage = "block device or file whose IO is followed"
	c.Flags().Lookup("fio").Hidden = true // none is started
	c.Flags().DurationVar(&length, "for", 0, "how long is recorded: 90s, 30m, 1h")
	return c
}
