package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A format may be typed in any case; what is emulated then is that format, with the
// serial number of its family.
func TestFormatInAnyCase(t *testing.T) {
	f := simFlags{twinFlags: twinFlags{serial: "QTL1999-02-001"}, format: "HDPlus"}
	if err := f.check(&cobra.Command{}); err != nil {
		t.Fatal(err)
	}
	o, err := f.module()
	if err != nil || o.Format != "hdplus" || o.Serial != "" {
		t.Errorf("format %q, serial %q, %v", o.Format, o.Serial, err)
	}
}

func TestDialectThatIsNoSetting(t *testing.T) {
	f := simFlags{dialect: []string{"pattern"}}
	if _, err := f.module(); err == nil || !strings.HasPrefix(err.Error(), `--dialect "pattern": want key=value`) {
		t.Errorf("error %v", err)
	}
}
