package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The link that a killed module left leads nowhere, and gives way to the next one's; one
// that leads somewhere, and what is no link, stay, and the way out is told.
func TestLinkThatIsThereAlready(t *testing.T) {
	dir := t.TempDir()
	port, link := filepath.Join(dir, "port"), filepath.Join(dir, "link")
	if err := os.WriteFile(port, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "gone"), link); err != nil {
		t.Fatal(err)
	}
	shown, unlink, err := (&simPlace{link: link}).show(port)
	if to, _ := os.Readlink(link); err != nil || shown != link || to != port {
		t.Fatalf("a link that leads nowhere: %s, %v; it leads to %s", shown, err, to)
	}
	if _, _, err := (&simPlace{link: link}).show(filepath.Join(dir, "other")); err == nil || !strings.Contains(err.Error(), "leads to "+port) || !strings.Contains(err.Error(), "rm "+link) {
		t.Errorf("a link in use: %v", err)
	}
	if to, _ := os.Readlink(link); to != port {
		t.Errorf("a link in use leads to %s now", to)
	}
	unlink()
	if _, _, err := (&simPlace{link: port}).show(port); err == nil || !strings.Contains(err.Error(), "is no link") {
		t.Errorf("a file: %v", err)
	}
}

// A module that was pulled may come back on another pseudo-terminal: its link leads there,
// and goes with the module all the same. A link that is somebody else's by then stays.
func TestLinkAfterTheModuleMoved(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	for _, others := range []bool{false, true} {
		p := &simPlace{link: link}
		_, unlink, err := p.show("/dev/pts/one")
		if err != nil {
			t.Fatal(err)
		}
		p.moved("/dev/pts/two")
		if to, _ := os.Readlink(link); to != "/dev/pts/two" {
			t.Errorf("the link leads to %s, want /dev/pts/two", to)
		}
		if others {
			if err := errors.Join(os.Remove(link), os.Symlink("/dev/pts/three", link)); err != nil {
				t.Fatal(err)
			}
		}
		unlink()
		if _, err := os.Lstat(link); (err == nil) != others {
			t.Errorf("the link of somebody else: %v; it is there: %v", others, err == nil)
		}
	}
}
