package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"powerd/powerd/internal/catalog"
)

// chooseModule lists the modules that answer and asks for one.
func (w *walk) chooseModule(ctx context.Context) error {
	var answer []catalog.Found
	for _, f := range w.Modules {
		if f.Err == nil {
			answer = append(answer, f)
		}
	}
	if len(answer) == 0 {
		return noModule(w.Modules)
	}
	fmt.Fprintln(w.Out, "Power modules:")
	for i, f := range answer {
		fmt.Fprintf(w.Out, "  %d  %s, %s, on %s%s\n", i+1, f.Info.Serial, f.Info.Model, f.Port, twin(answer, i))
	}
	for _, f := range w.Modules {
		if f.Err != nil {
			fmt.Fprintf(w.Out, "  –  %s: %v\n", f.Port, f.Err)
		}
	}
	fallback := ""
	if len(answer) == 1 {
		fallback = "1"
	}
	return w.find(ctx, question{
		text: "Which module? its number", flag: "module", fallback: fallback,
		accept: func(text string) error {
			n, ok := number(text, len(answer))
			if !ok || n == 0 {
				return which(text, answer)
			}
			w.takeModule(&answer[n-1])
			return nil
		},
	})
}

func (w *walk) takeModule(f *catalog.Found) {
	w.module = f.Info
	w.bench.Module, w.bench.Port = f.Info.Serial, f.Port
	w.bench.AboutModule = strings.TrimSpace(f.Info.Model + " " + f.Info.Serial)
	m := w.Config.Module // which says how it was asked
	if m.Link != "auto" {
		w.bench.Link = m.Link
	}
	if w.Config.Origin("module.baud").Kind != "default" && !strings.HasPrefix(f.Port, "tcp:") {
		w.bench.Baud = m.Baud
	}
}

// which says that one of several modules has to be named.
func which(text string, answer []catalog.Found) error {
	if text != "" {
		return fmt.Errorf("%q is not the number of a module in the list; one that is not there: --module PORT", text)
	}
	ports := make([]string, len(answer))
	for i, f := range answer {
		ports[i] = f.Info.Serial + " on " + f.Port + twin(answer, i)
	}
	return fmt.Errorf("%d modules answer, and one has to be chosen: %s", len(answer), strings.Join(ports, "; "))
}

// twin marks a module whose serial number another one has, too: one module that is
// reached in two ways, or two that cannot be told apart by it.
func twin(all []catalog.Found, i int) string {
	for j, f := range all {
		if j != i && f.Info.Serial == all[i].Info.Serial {
			return " (the same serial number as on " + f.Port + ")"
		}
	}
	return ""
}

// noModule says what may be wrong, for each port what was.
func noModule(found []catalog.Found) error {
	lines := []string{"no power module answers"}
	denied := false
	for _, f := range found {
		lines = append(lines, "  "+f.Port+": "+f.Err.Error())
		denied = denied || errors.Is(f.Err, os.ErrPermission)
	}
	lines = append(lines, "is it switched on, and its cable plugged in? On another network, or on a port that is not listed: --module tcp:HOST or --module /dev/…; `powerd sim` runs an emulated one")
	if denied {
		lines = append(lines, "to use serial ports, add this user to the group that owns them, and log in again: sudo usermod -aG dialout "+strconv.Quote(os.Getenv("USER")))
	}
	return errors.New(strings.Join(lines, "\n"))
}
