package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"powerd/quarch/wire"
)

func TestTerminalReplies(t *testing.T) {
	for _, c := range []struct {
		name, got, cmd string
		echoes         bool
		reply          string
		done           bool
	}{
		{"echo, line, prompt", "hello?\r\nHD Programmable Power Module\r\n>", "hello?", true, "HD Programmable Power Module", true},
		{"no echo", "234mA\r\n>", "measure:current 5v?", false, "234mA", true},
		{"echo that ends in LF alone", "*tst?\nOK\r\n>", "*tst?", true, "OK", true},
		{"nothing but the echo", "#remark\r\n>", "#remark", true, "", true},
		{"half an echo", "measure:cur", "measure:current 5v?", true, "", false},
		{"half a value", "measure:current 5v?\r\n06", "measure:current 5v?", true, "", false},
		{"no prompt yet", "measure:current 12v?\r\n142mA\r\n", "measure:current 12v?", true, "", false},
		{"'>' inside of XML is no prompt", "c?\r\n<a>\r\n<b/>\r\n", "c?", true, "", false},
		{"XML", "c?\r\n<a>\r\n<b/>\r\n</a>\r\n>", "c?", true, "<a>\n<b/>\n</a>", true},
		{"the prompt of an older reply", "7\r\n>", "*tst?", true, "", false},
		{"rest of an older reply, then this one", "7\r\n>*tst?\r\nOK\r\n>", "*tst?", true, "OK", true},
		{"a reply that repeats the command", "*tst?\r\nFAIL: *tst?\r\n>", "*tst?", true, "FAIL: *tst?", true},
	} {
		reply, _, done := wire.TerminalReply([]byte(c.got), c.cmd, c.echoes)
		if reply != c.reply || done != c.done {
			t.Errorf("%s: got %q, done %v; want %q, %v", c.name, reply, done, c.reply, c.done)
		}
	}
}

// A stranger may say a great deal: messages quote its beginning.
func TestMessagesQuoteTheBeginning(t *testing.T) {
	garbage := strings.Repeat("\x00x", 5000)
	_, averaging := wire.ParseAveraging(garbage)
	_, number := wire.ParseQuantity(garbage)
	_, unit := wire.ParseQuantity("1" + garbage)
	for _, err := range []error{averaging, number, unit} {
		if err == nil || len(err.Error()) > 800 { // two quotes of 80 bytes, of which \x00 takes 4
			t.Errorf("error of %d bytes", len(fmt.Sprint(err)))
		}
	}
}
