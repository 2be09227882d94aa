package wire

import (
	"bytes"
	"fmt"
	"strings"
)

// TerminalReply looks for the reply to cmd in what the terminal link delivered
// since cmd was written: an echo line, reply lines, and the prompt '>' on a line
// of its own with nothing after it. A '>' elsewhere is text. The reply comes
// without echo, prompt and line end at its end, with lines parted by "\n".
//
// echoes says that this module is known to echo: then a prompt without the echo
// before it belongs to an earlier command, and the reply is not done yet.
func TerminalReply(got []byte, cmd string, echoes bool) (reply string, echoed, done bool) {
	body, atPrompt := bytes.CutSuffix(got, []byte("\n>"))
	if !atPrompt {
		return "", false, false
	}
	if at := endOfEcho(got, cmd); at >= 0 {
		body, echoed = body[min(at, len(body)):], true
	} else if echoes {
		return "", false, false
	}
	text := strings.ReplaceAll(string(body), "\r\n", "\n")
	return strings.Trim(text, "\r\n"), echoed, true
}

// endOfEcho returns the index after the line that repeats cmd, or -1. A prompt
// or the rest of an older reply may stand before it.
func endOfEcho(got []byte, cmd string) int {
	for at := 0; ; {
		i := bytes.Index(got[at:], []byte(cmd))
		if i < 0 {
			return -1
		}
		i += at
		at = i + len(cmd)
		line := bytes.TrimLeft(got[at:], "\r")
		startsLine := i == 0 || got[i-1] == '\n' || got[i-1] == '>'
		if startsLine && bytes.HasPrefix(line, []byte("\n")) {
			return len(got) - len(line) + 1
		}
		at = i + 1
	}
}

// Refused reports whether reply is a refusal: it starts with FAIL.
func Refused(reply string) bool {
	return len(reply) >= 4 && strings.EqualFold(reply[:4], "FAIL")
}

// Quoted shortens what a stranger said for a message.
func Quoted(s string) string {
	const most = 80
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
