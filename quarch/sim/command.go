package sim

import (
	"slices"
	"strings"
)

// command is one line of the command table.
type command struct {
	words []word
	query bool // ends in '?'
	run   func(c *client, args []string) answer
}

// word is one level of a command, or a parameter.
type word struct {
	short, long string // lower case; anything from short to long will do
	param       bool
}

// answer is what a command leads to.
type answer struct {
	text    string  // reply lines, parted by CR LF; of a refusal the reason
	refused refusal // 0 = done
	drop    bool    // no reply at all: the link drops
	stream  *stream // to be sent after the reply
}

// parseForm reads the documented form of a command, in which the capitals are
// the short form and {} is a parameter: "SIGnal:{}:VOLTage {}".
func parseForm(form string) (words []word, query bool) {
	fields, query := splitCommand(form)
	for _, f := range fields {
		short := strings.TrimRight(f, "abcdefghijklmnopqrstuvwxyz")
		words = append(words, word{short: strings.ToLower(short), long: strings.ToLower(f), param: f == "{}"})
	}
	return words, query
}

// splitCommand splits a command at colons and blanks; query is true if it ends
// in '?'.
func splitCommand(line string) (fields []string, query bool) {
	line, query = strings.CutSuffix(strings.TrimSpace(line), "?")
	return strings.FieldsFunc(line, func(r rune) bool { return r == ':' || r == ' ' || r == '\t' }), query
}

// find returns the command that line means and its parameters, or nil.
func find(table []command, line string) (cmd *command, args []string) {
	fields, query := splitCommand(line)
	fields = joinUnits(fields)
	for i := range table {
		if table[i].query != query {
			continue
		}
		if args, ok := match(table[i].words, fields); ok {
			return &table[i], args
		}
	}
	return nil, nil
}

func match(words []word, fields []string) (args []string, ok bool) {
	if len(words) != len(fields) {
		return nil, false
	}
	for i, w := range words {
		f := strings.ToLower(fields[i])
		switch {
		case w.param:
			args = append(args, f)
		case !strings.HasPrefix(f, w.short) || !strings.HasPrefix(w.long, f):
			return nil, false
		}
	}
	return args, true
}

// joinUnits puts a unit that stands by itself back to its number: "100 mV" is one parameter.
func joinUnits(fields []string) []string {
	var out []string
	for _, f := range fields {
		if n := len(out) - 1; n >= 0 && isUnit(f) && isNumber(out[n]) {
			out[n] += f
			continue
		}
		out = append(out, f)
	}
	return out
}

func isUnit(f string) bool {
	return slices.Contains([]string{"us", "ms", "s", "mv", "v", "ma", "ua", "k"}, strings.ToLower(f))
}

func isNumber(f string) bool {
	f = strings.TrimLeft(f, "+-")
	return f != "" && strings.Trim(f, "0123456789.") == ""
}
