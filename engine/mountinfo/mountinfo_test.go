package mountinfo

import (
	"bufio"
	"slices"
	"strings"
	"testing"
)

// Lines have none, one or several optional fields before the dash; a space is \040; a
// mount may have no source; what is no mount is passed over.
func TestEach(t *testing.T) {
	const table = `22 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw
91 90 8:1 / /mnt/my\040drive rw shared:5 master:2 - ext4 /dev/sda1 rw
92 28 0:52 / /run/x rw - tmpfs
a short line
93 28 - none
`
	want := []Mount{{"0:21", "/proc", "proc", "proc"}, {"8:1", "/mnt/my drive", "ext4", "/dev/sda1"}, {"0:52", "/run/x", "tmpfs", ""}}
	var got []Mount
	if err := Each(bufio.NewScanner(strings.NewReader(table)), func(m Mount) { got = append(got, m) }); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("36 35 8:1 / /mnt rw,noatime master:1 - ext4 /dev/sda1 rw")
	f.Add("- -")
	f.Add(" - ")
	f.Fuzz(func(t *testing.T, line string) {
		if m, ok := parse(line); ok != (m.Device != "" && m.Type != "") {
			t.Errorf("%q: %+v, %v", line, m, ok)
		}
	})
}
