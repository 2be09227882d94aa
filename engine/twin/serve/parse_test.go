package serve

import (
	"bufio"
	"slices"
	"strings"
	"testing"
)

const mountTable = `22 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw
90 28 0:50 / /run/twin rw,nosuid,nodev - fuse.powerd-twin powerd-twin rw,user_id=0
91 90 0:51 / /run/twin rw,nosuid,nodev shared:5 master:2 - tmpfs none rw
92 28 0:52 / /mnt/my\040drive rw - fuse.powerd-twin powerd-twin rw
a short line
`

func TestMountsAt(t *testing.T) {
	for dir, want := range map[string][]string{
		"/run/twin":     {"fuse.powerd-twin", "tmpfs"}, // two on top of each other
		"/mnt/my drive": {"fuse.powerd-twin"},          // a space is \040 in the table
		"/run":          nil,
	} {
		got, err := mountsAt(bufio.NewScanner(strings.NewReader(mountTable)), dir)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v; want %q", dir, got, err, want)
		}
	}
}

func FuzzMountsAt(f *testing.F) {
	f.Add(mountTable, "/run/twin")
	f.Add(" - ", "")
	f.Fuzz(func(t *testing.T, table, dir string) {
		types, err := mountsAt(bufio.NewScanner(strings.NewReader(table)), dir)
		if err == nil && len(types) > strings.Count(table, "\n")+1 {
			t.Errorf("%d mounts in %d lines", len(types), strings.Count(table, "\n")+1)
		}
	})
}

func TestMayMount(t *testing.T) {
	// CAP_SYS_ADMIN is bit 21.
	for status, want := range map[string]bool{
		"Name:\tx\nCapEff:\t000001ffffffffff\nSeccomp:\t0\n": true,
		"Name:\tx\nCapEff:\t0000000000200000\n":              true,
		"Name:\tx\nCapEff:\t00000000a80425fb\n":              false, // a plain container
		"Name:\tx\nCapEff:\tnonsense\n":                      false,
		"":                                                   false,
	} {
		if got := mayMount(status); got != want {
			t.Errorf("%q: got %v", status, got)
		}
	}
}

func FuzzMayMount(f *testing.F) {
	f.Add("\nCapEff:\t000001ffffffffff\n")
	f.Fuzz(func(t *testing.T, status string) {
		if mayMount(status) && !strings.Contains(status, "CapEff:") {
			t.Error("capability out of nowhere")
		}
	})
}
