package cli

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

// Flags of the emulation that cannot be are mistakes in the command line: exit code 2, and
// the message names the flag and what is allowed. Nothing is started.
func TestSimRefusesWhatCannotBe(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	asked, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer asked.Close()
	const twin = "--twin=seagate-1200-400"
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--ppm", "nan"}, []string{"--ppm", "from -1000 to 1000 ppm"}},
		{[]string{"--ppm", "inf"}, []string{"--ppm", "from -1000 to 1000 ppm"}},
		{[]string{"--ppm", "-1e6"}, []string{"--ppm", "from -1000 to 1000 ppm"}}, // a clock that stands still
		{[]string{"--ppm", "fast"}, []string{"--ppm", "from -1000 to 1000 ppm"}},
		{[]string{"--offset", "-1s"}, []string{"--offset", "allowed: 0s to 10s"}},
		{[]string{"--offset", "1000h"}, []string{"--offset", "allowed: 0s to 10s"}},
		{[]string{"--jitter", "-1ms"}, []string{"--jitter", "allowed: 0s to 1s"}},
		{[]string{"--jitter", "5"}, []string{"--jitter", "needs a unit"}},
		{[]string{"--fifo", "-5"}, []string{"--fifo", "from 4096 to 1073741824"}},
		{[]string{"--fifo", "99999999999999"}, []string{"--fifo", "from 4096 to 1073741824"}},
		{[]string{"--seed", "-1"}, []string{"--seed"}},
		{[]string{"--serial", "QTL>1"}, []string{"--serial", "letters, digits"}}, // would end every reply
		{[]string{"--serial", "QTL\r\n1"}, []string{"--serial", "letters, digits"}},
		{[]string{"--serial", ""}, []string{"--serial", "1 to 32"}},
		{[]string{twin, "--scale", "0"}, []string{"--scale", "1 to 1000"}},
		{[]string{twin, "--scale", "-4"}, []string{"--scale", "1 to 1000"}},
		{[]string{twin, "--size", "-4096"}, []string{"--size", "is no size"}},
		{[]string{twin, "--size", "4096"}, []string{"--size", "16MiB to 1TiB"}},
		{[]string{twin, "--size", "67108865"}, []string{"--size", "multiple of 4096"}},
		{[]string{"--twin", "no-such-drive"}, []string{"--twin", "hdd-7200"}},
		{[]string{"--fault", "nonsense"}, []string{"--fault", "lost-byte"}},
		{[]string{"--fault", "lost-byte:p=nan"}, []string{"p", "1e-9 to 1"}},
		{[]string{"--fault", "warm-up:ppm=inf"}, []string{"ppm", "-200 to 200"}},
		{[]string{"--fault", "stall:by=-5ms"}, []string{"by", "1ms to 10s"}},
		{[]string{"--dialect", "averaging-tail=:>"}, []string{"averaging-tail", "colon"}},
		{[]string{"--dialect", "fixture=a\x07"}, []string{"fixture", "a name"}},
		{[]string{"--tcp", "here"}, []string{"--tcp", "HOST:PORT"}},
		{[]string{"--tcp", "127.0.0.1:99999"}, []string{"--tcp", "HOST:PORT"}},
		{[]string{"--tcp", taken.Addr().String()}, []string{"address already in use", "choose another address"}},
		{[]string{"--tcp", "127.0.0.1:0", "--discover", asked.LocalAddr().String()}, []string{"address already in use", "choose another address"}},
	} {
		var out, errOut bytes.Buffer
		code := Main(t.Context(), append([]string{"sim"}, c.args...), nil, &out, &errOut)
		if code != exitUsage || out.Len() > 0 {
			t.Errorf("%q: exit code %d, want %d; printed %q, %q", c.args, code, exitUsage, out.String(), errOut.String())
		}
		for _, want := range c.want {
			if !strings.Contains(errOut.String(), want) {
				t.Errorf("%q: it said %q, want %q in it", c.args, errOut.String(), want)
			}
		}
	}
}

// A size may be written as settings write it.
func TestSizeOfATwin(t *testing.T) {
	var f simFlags
	c := (&app{}).simCmd()
	if err := c.ParseFlags([]string{"--size", "64MiB"}); err != nil || c.Flags().Lookup("size").Value.String() != "64MiB" {
		t.Errorf("size %v, %v", c.Flags().Lookup("size").Value, err)
	}
	f.size = 64 << 20
	if args := strings.Join(f.args("x"), " "); !strings.Contains(args, "--size 67108864") {
		t.Errorf("a child gets %s", args)
	}
}
