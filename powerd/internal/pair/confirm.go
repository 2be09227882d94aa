package pair

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// longestAnswer bounds what is read of an answer, in bytes.
const longestAnswer = 4096

// Confirm asks a person to type want, the drive's serial number, and reports whether
// they did. why says why nothing else will do. Anything else, or the end of in, is no.
// Where ctx ends first, what is typed later is lost.
func Confirm(ctx context.Context, in io.Reader, out io.Writer, why, want string) (bool, error) {
	_, err := fmt.Fprintf(out, "%s.\nIf you know that this drive hangs on this module, type its serial number, %s: ", strings.TrimRight(why, "."), want)
	if err != nil {
		return false, fmt.Errorf("ask for the drive's serial number: %w", err)
	}
	line, err := Answer(ctx, in)
	if err != nil {
		return false, fmt.Errorf("ask for the drive's serial number: %w", err)
	}
	return want != "" && line == want, nil
}

// Answer reads the line that a person types, without the blanks around it; "" at the end
// of in.
func Answer(ctx context.Context, in io.Reader) (string, error) {
	type answer struct {
		line string
		err  error
	}
	got := make(chan answer, 1)
	go func() { // a read of a terminal cannot be called off: it ends with in, at the latest with the process
		line, err := bufio.NewReader(io.LimitReader(in, longestAnswer)).ReadString('\n')
		got <- answer{line, err}
	}()
	select {
	case a := <-got:
		if a.err != nil && !errors.Is(a.err, io.EOF) {
			return "", a.err
		}
		return strings.TrimSpace(a.line), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
