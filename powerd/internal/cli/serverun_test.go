package cli

import (
	"log/slog"
	"strings"
	"testing"

	"powerd/powerd/internal/config"
	"powerd/powerd/internal/daemon"
)

// Whoever reaches the port of a powerd that serves may ask for what the bench's owner
// allows, and for no more: no file may be named, to be read, written or run, and no consent
// be added.
func TestWhatMayBeAskedFor(t *testing.T) {
	s := &served{log: slog.New(slog.DiscardHandler), cfg: &config.Config{Out: "/runs", Benches: map[string]config.Bench{
		"open":   {Name: "open", Consent: []string{"write", "power"}},
		"closed": {Name: "closed"},
	}}}
	const write = "name: w\nsteps: [{name: w, kind: load, duration: 2s, fio: {rw: randwrite, bs: 4k}}]"
	const jobFile = "name: j\nsteps: [{name: j, kind: load, duration: 2s, fio: {file: /etc/evil.fio}}]"
	for name, c := range map[string]struct {
		q    daemon.RunRequest
		want string // of the refusal; "" = none
	}{
		"a built-in suite":          {daemon.RunRequest{Suite: "idle", Bench: "closed"}, ""},
		"a suite's text":            {daemon.RunRequest{Suite: write, Bench: "open"}, ""},
		"its folder":                {daemon.RunRequest{Suite: "idle", Bench: "open", Out: "mine"}, ""},
		"a drive file":              {daemon.RunRequest{Suite: "idle", Bench: "open", Drive: "seagate-600"}, ""},
		"less than the owner gives": {daemon.RunRequest{Suite: write, Bench: "open", Allow: []string{"write"}}, ""},
		"a path of a suite":         {daemon.RunRequest{Suite: "/etc/shadow", Bench: "open"}, "no suite"},
		"a suite that is none":      {daemon.RunRequest{Suite: "name: x", Bench: "open"}, "steps"},
		"a job file":                {daemon.RunRequest{Suite: jobFile, Bench: "open"}, "runs no job files"},
		"a path of a drive file":    {daemon.RunRequest{Suite: "idle", Bench: "open", Drive: "/etc/shadow"}, "no drive file"},
		"a folder elsewhere":        {daemon.RunRequest{Suite: "idle", Bench: "open", Out: "../x"}, "no name of a folder"},
		"a folder from the root":    {daemon.RunRequest{Suite: "idle", Bench: "open", Out: "/tmp/x"}, "no name of a folder"},
		"the folder of runs itself": {daemon.RunRequest{Suite: "idle", Bench: "open", Out: "."}, "no name of a folder"},
		"the one above":             {daemon.RunRequest{Suite: "idle", Bench: "open", Out: ".."}, "no name of a folder"},
		"a write without consent":   {daemon.RunRequest{Suite: write, Bench: "closed"}, "consent: [write]"},
		"consent of its own":        {daemon.RunRequest{Suite: write, Bench: "closed", Allow: []string{"write"}}, "a request cannot"},
		"consent that it gave up":   {daemon.RunRequest{Suite: write, Bench: "open", Allow: []string{"power"}}, "does not consent"},
		"all consent given up":      {daemon.RunRequest{Suite: write, Bench: "open", Allow: []string{}}, "does not consent"},
	} {
		_, err := s.prepareRun(c.q)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want a refusal that says %q", name, err, c.want)
		}
	}
	if got := s.cfg.Benches["open"].Consent; len(got) != 2 {
		t.Errorf("a request has changed the settings: %v", got)
	}
}
