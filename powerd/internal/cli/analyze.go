package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/publish"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/textfile"
)

// analyzeFlags are what analyze takes beside the folder.
type analyzeFlags struct {
	drive       string
	failOnLimit bool
}

func (a *app) analyzeCmd() *cobra.Command {
	var f analyzeFlags
	c := &cobra.Command{
		Use:   "analyze DIR",
		Short: "Compute a run's results again from its folder",
		Long: `analyze reads the samples and the engine's files that a run left in DIR and writes
results.json, tables, pictures and report again. The same folder gives the same
results.json, byte for byte. It exits with 1 if the run itself failed.

With --drive the run is held against another drive file, by name or path: one of
` + strings.Join(datasheet.Names(), ", ") + `.
A copy of it stays in DIR as drive-NAME.yaml; the one that the run was made with stays
drive.yaml, and analyze without --drive goes back to it.`,
		Example: `  powerd analyze runs/20261130T201500.000Z-demo-seagate-1200-400-seed-1
  powerd analyze runs/20261130T201500.000Z-demo-seagate-1200-400-seed-1 --drive seagate-1200-400`,
		Args: args(1, 1, "the folder of a run"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			return a.analyze(dirs[0], f)
		},
	}
	c.Flags().StringVar(&f.drive, "drive", "", "drive file whose claims the run is held against (default the run's own)")
	c.Flags().BoolVar(&f.failOnLimit, "fail-on-limit", false, "exit with 3 if a limit of the drive file is surely broken")
	return c
}

func (a *app) analyze(dir string, f analyzeFlags) error {
	hold, err := results.Hold(dir)
	if err != nil {
		return asUsage(err)
	}
	defer hold.Close()
	file, err := keepDriveFile(dir, f.drive)
	if err != nil {
		return asUsage(err)
	}
	d, err := results.ReopenAgainst(dir, catalog.Fio(catalog.FioOptions{Now: clock.Mono}), file)
	if err != nil {
		return asUsage(err)
	}
	b, err := d.JSON()
	if err != nil {
		return err
	}
	if err := textfile.Replace(filepath.Join(dir, results.File), b); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	doc, err := publish.Write(dir, d)
	if doc != nil {
		err = errors.Join(err, a.brief(dir, doc))
	}
	switch {
	case err != nil:
		return err
	case d.Run.Outcome == results.Failed:
		return fmt.Errorf("the run failed: %s", d.Run.Why)
	case f.failOnLimit:
		return brokenLimits(d)
	}
	return nil
}

// keepDriveFile puts a copy of a drive file into a run's folder, beside the run's own,
// and returns what it is called there.
func keepDriveFile(dir, drive string) (string, error) {
	if drive == "" {
		return results.DriveFile, nil
	}
	s, err := datasheet.Find(drive)
	if err != nil {
		return "", err
	}
	if !isRun(dir) { // that is told when it is opened
		return results.DriveFile, nil
	}
	if own, err := os.ReadFile(filepath.Join(dir, results.DriveFile)); err == nil && bytes.Equal(own, s.Source) {
		return results.DriveFile, nil
	}
	name := "drive-" + s.Name + ".yaml"
	if err := textfile.Replace(filepath.Join(dir, name), s.Source); err != nil {
		return "", fmt.Errorf("keep the drive file: %w", err)
	}
	return name, nil
}

func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "capture"))
	return err == nil
}
