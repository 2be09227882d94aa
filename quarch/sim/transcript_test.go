package sim

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/quarch/wire"
)

// turn is one line of a transcript that does something.
type turn struct {
	line int    // of the file, from 1
	kind string // ">", "<", ">>", "<<" or "@"
	text string // bytes, or the words of a directive
}

// A section is a module and what is done to it, from one "@ module" to the next.
type section struct {
	name  string
	turns []turn
}

// readTranscript reads a file in the form that testdata/transcripts/README.md tells.
func readTranscript(path string) ([]section, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var sections []section
	said := false // this block has its sentence
	for i, line := range strings.Split(string(text), "\n") {
		s, isTurn, err := readTurn(i+1, line)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		case strings.TrimSpace(line) == "":
			said = false
		case !isTurn:
			said = said || !strings.HasPrefix(line, "#")
		case s.kind == "@" && strings.HasPrefix(s.text, "module"):
			sections = append(sections, section{name: fmt.Sprintf("line %d", i+1), turns: []turn{s}})
		case len(sections) == 0:
			return nil, fmt.Errorf("%s:%d: no module yet", path, i+1)
		case s.kind != "@" && !said:
			return nil, fmt.Errorf("%s:%d: bytes without a sentence that says what they show", path, i+1)
		default:
			last := &sections[len(sections)-1]
			last.turns = append(last.turns, s)
		}
	}
	return sections, nil
}

// readTurn reads a line; isTurn is false for what is written for readers.
func readTurn(number int, line string) (s turn, isTurn bool, err error) {
	kind, text, _ := strings.Cut(line, " ")
	switch kind {
	case "@":
		return turn{number, kind, text}, true, nil
	case ">", "<", ">>", "<<":
		bytes, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
		if err != nil {
			return s, false, fmt.Errorf("%q is not bytes with escapes", text)
		}
		return turn{number, kind, bytes}, true, nil
	case "<|":
		payload, err := blockOf(text)
		return turn{number, "<<", payload}, true, err
	}
	return s, false, nil
}

// blockOf reads packets, in hex and in their logical order, and returns the payload of their
// block: filled up with blanks, and with the two bytes of each pair exchanged. "status 7"
// at the end is a status.
func blockOf(text string) (string, error) {
	packets, status, ends := strings.Cut(text, "status")
	b, err := hex.DecodeString(strings.Join(strings.Fields(packets), ""))
	if err != nil || len(b) > wire.PlusBlockBytes-2 {
		return "", fmt.Errorf("%q is no block of packets in hex", text)
	}
	for left := wire.PlusBlockBytes - len(b); left > 0; left = wire.PlusBlockBytes - len(b) {
		n := min(left-2, 255)
		b = append(append(b, byte(wire.PacketBlank), byte(n)), make([]byte, n)...)
	}
	for i := 0; i < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	if ends {
		n, err := strconv.ParseUint(strings.TrimSpace(status), 10, 8)
		if err != nil {
			return "", err
		}
		b = append(b, byte(n))
	}
	return string(b), nil
}

// moduleKeys are the keys of "@ module" beside those of DialectKeys.
func moduleKeys() map[string]func(o *Options, value string) error {
	text := func(field func(o *Options) *string) func(*Options, string) error {
		return func(o *Options, v string) error { *field(o) = strings.ReplaceAll(v, "_", " "); return nil }
	}
	count := func(field func(o *Options) *int) func(*Options, string) (err error) {
		return func(o *Options, v string) (err error) { *field(o), err = strconv.Atoi(v); return err }
	}
	span := func(field func(o *Options) *int64) func(*Options, string) error {
		return func(o *Options, v string) error {
			d, err := time.ParseDuration(v)
			*field(o) = d.Nanoseconds()
			return err
		}
	}
	return map[string]func(o *Options, value string) error{
		"format": func(o *Options, v string) (err error) { o.Format, err = ParseFormat(v); return err },
		"packets": func(o *Options, v string) error {
			n, err := strconv.ParseUint(v, 10, 8)
			o.Packets = wire.Packet(n)
			return err
		},
		"model":     text(func(o *Options) *string { return &o.Model }),
		"serial":    text(func(o *Options) *string { return &o.Serial }),
		"alias":     text(func(o *Options) *string { return &o.Alias }),
		"mode":      text(func(o *Options) *string { return &o.OutputMode }),
		"averaging": text(func(o *Options) *string { return &o.Averaging }),
		"position":  count(func(o *Options) *int { return &o.Position }),
		"rails": func(o *Options, v string) error {
			o.Rails = strings.Split(v, ",")
			return nil
		},
		"power": func(o *Options, v string) error { o.Powered = v == "on"; return nil },
		"echo":  func(o *Options, v string) error { o.NoEcho = v == "off"; return nil },
		"fifo":  count(func(o *Options) *int { return &o.FIFOBytes }),
		"frame": count(func(o *Options) *int { return &o.FramePayloadBytes }),
		"syncs": count(func(o *Options) *int { return &o.SyncFrames }), // data frames from one to the next
		"sync":  span(func(o *Options) *int64 { return &o.SyncNs }),
		"quiet": span(func(o *Options) *int64 { return &o.QuietNs }),
		"fault": func(o *Options, v string) error {
			f, err := ParseFault(v)
			o.Faults = append(o.Faults, f)
			return err
		},
	}
}

// moduleOf reads the words of "@ module".
func moduleOf(words string) (Options, error) {
	o := Options{SyncNs: -1} // by count only: what comes when is then plain to see
	keys := moduleKeys()
	for word := range strings.FieldsSeq(strings.TrimPrefix(words, "module")) {
		key, value, _ := strings.Cut(word, "=")
		if set := keys[key]; set != nil {
			if err := set(&o, value); err != nil {
				return o, fmt.Errorf("%s: %w", key, err)
			}
			continue
		}
		if err := o.Dialect.Set(key, strings.ReplaceAll(value, "_", " ")); err != nil {
			return o, err
		}
	}
	return o, nil
}

func transcripts(t *testing.T) (paths []string) {
	paths, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	return paths
}

// The transcripts are what clients rest on: each byte in them was written by hand, from
// what is known of the real modules.
func TestTranscripts(t *testing.T) {
	for _, path := range transcripts(t) {
		sections, err := readTranscript(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, s := range sections {
			t.Run(filepath.Base(path)+"/"+s.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := &player{t: t, path: path}
					p.play(s)
				})
			})
		}
	}
}

// Together the transcripts show every command there is.
func TestTranscriptsShowEveryCommand(t *testing.T) {
	table := commandTable()
	shown := map[*command]bool{}
	for _, path := range transcripts(t) {
		sections, err := readTranscript(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sections {
			for _, sent := range s.turns {
				cmd, _ := find(table, strings.TrimRight(sent.text, "\r\n"))
				shown[cmd] = shown[cmd] || strings.HasPrefix(sent.kind, ">")
			}
		}
	}
	for i := range table {
		if !shown[&table[i]] {
			t.Errorf("no transcript shows %+v", table[i].words)
		}
	}
}
