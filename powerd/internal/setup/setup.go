package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"powerd/engine/target"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/host"
	"powerd/quarch"
)

// Given are answers that came as flags; empty = not given.
type Given struct {
	Name, Target, Drive, Fixture string
	Rails                        string // "5v,12v"
}

// Options of a walk.
type Options struct {
	Config  *config.Config
	Modules []catalog.Found // that answer, or do not
	Drives  []host.Target   // of this machine
	Uses    func(path string) ([]target.Use, error)
	Given   Given

	Ask func(ctx context.Context, question string) (string, error) // nil = nobody can be asked
	Out io.Writer
}

// walk is a walk under way.
type walk struct {
	Options
	module quarch.Info
	drive  host.Target
	sheet  *datasheet.Sheet
	bench  config.NewBench
}

// Walk finds out what a bench is made of.
func Walk(ctx context.Context, o Options) (config.NewBench, error) {
	w := &walk{Options: o}
	if o.Given.Name != "" { // before a long way for nothing
		if err := o.Config.CheckName(o.Given.Name); err != nil {
			return w.bench, fmt.Errorf("--bench: %w", err)
		}
	}
	for _, step := range []func(context.Context) error{w.chooseModule, w.chooseTarget, w.chooseSheet, w.chooseRails, w.chooseFixture, w.chooseName} {
		if err := step(ctx); err != nil {
			return w.bench, err
		}
	}
	return w.bench, nil
}

// question is one thing to find out.
type question struct {
	text, flag      string
	given, fallback string
	accept          func(answer string) error
}

const attempts = 3

// find takes what was given, asks, or takes the fallback where nobody can be asked.
func (w *walk) find(ctx context.Context, q question) error {
	if q.given != "" {
		if err := q.accept(q.given); err != nil {
			return fmt.Errorf("--%s: %w", q.flag, err)
		}
		return nil
	}
	if w.Ask == nil {
		if err := q.accept(q.fallback); err != nil {
			return fmt.Errorf("%w; give it with --%s", err, q.flag)
		}
		return nil
	}
	var err error
	for range attempts {
		text := q.text
		if q.fallback != "" {
			text += " [" + q.fallback + "]"
		}
		answer, asked := w.Ask(ctx, text+": ")
		if asked != nil {
			return asked
		}
		if answer == "" {
			answer = q.fallback
		}
		if err = q.accept(answer); err == nil {
			return nil
		}
		fmt.Fprintf(w.Out, "%v\n", err)
	}
	return fmt.Errorf("no answer that fits: %w; --%s gives one", err, q.flag)
}

func (w *walk) chooseRails(ctx context.Context) error {
	has := words(w.module.Rails)
	fallback := has
	if w.sheet != nil && len(w.sheet.Rails) > 0 {
		fallback = slices.DeleteFunc(words(w.sheet.Rails), func(r string) bool { return !slices.Contains(has, r) })
	}
	return w.find(ctx, question{
		text: "Which rails does the drive use, of " + strings.Join(has, ", ") + "?", flag: "rails", given: w.Given.Rails, fallback: strings.Join(fallback, ", "),
		accept: func(answer string) error {
			w.bench.Rails = nil
			for _, r := range strings.FieldsFunc(strings.ToLower(answer), func(c rune) bool { return c == ',' || c == ' ' }) {
				if !slices.Contains(has, r) {
					return fmt.Errorf("%q is no rail of this module; it has %s", r, strings.Join(has, ", "))
				}
				if !slices.Contains(w.bench.Rails, r) {
					w.bench.Rails = append(w.bench.Rails, r)
				}
			}
			if len(w.bench.Rails) == 0 {
				return errors.New("which rails? none was named")
			}
			return nil
		},
	})
}

func words(rails []quarch.Rail) []string {
	rails = slices.SortedFunc(slices.Values(rails), quarch.CompareRails)
	out := make([]string, len(rails))
	for i, r := range rails {
		out[i] = string(r)
	}
	return out
}

func (w *walk) chooseFixture(ctx context.Context) error {
	return w.find(ctx, question{
		text: "What is between module and drive (riser, adapter; Enter for nothing)?", flag: "fixture", given: w.Given.Fixture,
		accept: func(answer string) error {
			w.bench.Fixture = answer
			return nil
		},
	})
}

func (w *walk) chooseName(ctx context.Context) error {
	free := "left"
	for n := 2; w.Config.CheckName(free) != nil; n++ {
		free = fmt.Sprintf("bench%d", n)
	}
	return w.find(ctx, question{
		text: "What shall the bench be called?", flag: "bench", given: w.Given.Name, fallback: free,
		accept: func(answer string) error {
			w.bench.Name = answer
			return w.Config.CheckName(answer)
		},
	})
}

// number returns the entry of a list that an answer stands for, counted from 1.
func number(answer string, most int) (int, bool) {
	n, err := strconv.Atoi(answer)
	return n, err == nil && n >= 0 && n <= most
}
