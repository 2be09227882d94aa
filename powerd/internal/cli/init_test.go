package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
)

// person sits at a terminal and answers what it shows.
type person struct {
	t        *testing.T
	terminal *os.File
	seen     strings.Builder
}

// sees waits until the terminal has shown a text, from where the last one ended.
func (p *person) sees(text string) {
	p.t.Helper()
	var now strings.Builder
	for b := make([]byte, 1); !strings.HasSuffix(now.String(), text); {
		n, err := p.terminal.Read(b)
		if err != nil {
			p.t.Fatalf("the terminal ended before it showed %q: %v; it showed\n%s", text, err, p.seen.String())
		}
		now.Write(b[:n])
		p.seen.Write(b[:n])
	}
}

func (p *person) types(text string) {
	p.t.Helper()
	if _, err := p.terminal.WriteString(text); err != nil {
		p.t.Fatal(err)
	}
}

// seat starts powerd init on a terminal, beside an emulated module.
func seat(t *testing.T, dir string) (p *person, file string, ended chan int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	port, wait, err := catalog.NewSim(catalog.SimOptions{Serial: "QTL1999-02-001"}, catalog.ConstantLoad(), clock.Mono).ServePTY(ctx)
	if err != nil {
		t.Fatal(err)
	}
	near, far, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	file, ended = filepath.Join(dir, "powerd.yaml"), make(chan int, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended <- Main(ctx, []string{"init", "--config", file, "--module", port, "--broadcast", "127.0.0.1"}, far, far, far)
		far.Close()
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		near.Close()
		if err := wait(); err != nil {
			t.Error(err)
		}
	})
	return &person{t: t, terminal: near}, file, ended
}

// A newcomer at a terminal: a wrong number first, then Enter, a path, and the rest.
func TestBenchIsWrittenAtATerminal(t *testing.T) {
	dir := t.TempDir()
	drive := filepath.Join(dir, "drive")
	if err := os.WriteFile(drive, make([]byte, 4096), 0o644); err != nil {
		t.Fatal(err)
	}
	p, file, ended := seat(t, dir)
	for _, step := range []struct{ question, answer string }{
		{"Which module? its number [1]: ", "5\n"},
		{`"5" is not the number of a module`, ""},
		{"Which module? its number [1]: ", "\n"},
		{"or 0 for none yet [0]: ", drive + "\n"},
		{"or none [none]: ", "1\n"},
		{"[5v, 12v]: ", "5v\n"},
		{"Enter for nothing)?: ", "riser 7\n"},
		{"be called? [left]: ", "left\n"},
		{"? [y/N]: ", "y\n"},
		{"powerd run first-look --bench left --config " + file, ""},
	} {
		p.sees(step.question)
		p.types(step.answer)
	}
	if code := <-ended; code != exitOK {
		t.Fatalf("code %d", code)
	}
	c, err := config.Read(config.Sources{File: file})
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Bench("left")
	if err != nil || b.Target != drive || b.Module.Serial != "QTL1999-02-001" || b.Drive != "seagate-1200-400" || strings.Join(b.Rails, " ") != "5v" || b.Fixture != "riser 7" {
		t.Errorf("%+v, %v", b, err)
	}
}

// End of input (Ctrl-D) at the last question is no yes.
func TestNothingIsWrittenWithoutAYes(t *testing.T) {
	p, file, ended := seat(t, t.TempDir())
	for _, step := range []struct{ question, answer string }{
		{"Which module? its number [1]: ", "\n"},
		{"or 0 for none yet [0]: ", "\n"},
		{"or none [none]: ", "\n"},
		{"[5v, 12v]: ", "\n"},
		{"Enter for nothing)?: ", "\n"},
		{"be called? [left]: ", "\n"},
		{"? [y/N]: ", "\x04"},
	} {
		p.sees(step.question)
		p.types(step.answer)
	}
	p.sees("nothing was written")
	if code := <-ended; code != exitUsage {
		t.Errorf("code %d", code)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("%s: %v", file, err)
	}
}
