package ppm

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// probe finds out which link answers. A framed question comes first: a framed
// module takes the first two letters of a plain one for a length and waits for
// thousands of bytes, while a terminal answers either way.
func (m *Module) probe(ctx context.Context) (string, error) {
	said, err := m.exchange(ctx, "hello?", true)
	var silent *timeoutError
	switch framed, _ := whichLink([]byte(said)); {
	case err == nil && framed:
		m.pump.setLink(quarch.LinkFramed)
		return quarch.LinkFramed, nil
	case err != nil && !errors.As(err, &silent):
		return "", err
	}
	m.pump.setLink(quarch.LinkTerminal) // silence too: it may wait for the end of a line
	return quarch.LinkTerminal, nil
}

// whichLink judges what came after a framed question: whole frames that end in a
// prompt, or a line with a prompt.
func whichLink(got []byte) (framed, done bool) {
	var d wire.Deframer
	d.Feed(got)
	var reply []byte
	used := 0
	for p, ok := d.Next(); ok; p, ok = d.Next() {
		reply = append(reply, p...)
		used += 2 + len(p)
	}
	if used == len(got) && strings.HasSuffix(string(reply), wire.Prompt) {
		return true, true
	}
	return false, strings.HasSuffix(string(got), "\n>")
}

// identify asks who answers and keeps what does not change.
func (m *Module) identify(ctx context.Context, link string) error {
	model, err := m.greet(ctx)
	if err != nil {
		return err
	}
	idn, err := m.optional(ctx, "*idn?")
	if err != nil {
		return err
	}
	keys := parseIdn(idn)
	if keys["family"] == "" && !strings.Contains(strings.ToLower(model), "power") {
		return fmt.Errorf("module %s: %w: it said %s to hello?", m.o.Port, quarch.ErrNotAModule, wire.Quoted(model))
	}
	serial := keys["enclosure#"]
	if serial == "" {
		if serial, err = m.optional(ctx, "*enclosure?"); err != nil {
			return err
		}
	}
	if serial == "" {
		serial = keys["serial#"]
	}
	if serial != "" && !strings.HasPrefix(strings.ToUpper(serial), "QTL") {
		serial = "QTL" + serial
	}
	test, err := m.exchange(ctx, "*tst?", false)
	if err != nil {
		return err
	}
	m.identity = quarch.Info{
		Driver: "ppm", Model: model, Serial: serial, Firmware: firmware(keys), Alias: keys["alias"],
		Link: link, Port: m.o.Port, SelfTest: test,
	}
	if t, ok := m.o.Conn.(interface{ LatencyMs() int }); ok {
		m.identity.LatencyMs = t.LatencyMs()
	}
	return nil
}

// greet asks hello?. A refusal is asked again: something half-typed may have
// stood before the first question.
func (m *Module) greet(ctx context.Context) (string, error) {
	model, err := m.exchange(ctx, "hello?", true)
	if err == nil && (wire.Refused(model) || model == "") {
		model, err = m.exchange(ctx, "hello?", true)
	}
	var silent *timeoutError
	if errors.As(err, &silent) && len(silent.said) > 0 {
		return "", fmt.Errorf("module %s: %w: it said %s to hello?", m.o.Port, quarch.ErrNotAModule, wire.Quoted(string(silent.said)))
	}
	return model, err
}

// optional asks what not every module knows: a refusal is an empty reply.
func (m *Module) optional(ctx context.Context, cmd string) (string, error) {
	reply, err := m.query(ctx, cmd)
	if errors.Is(err, quarch.ErrRefused) {
		return "", nil
	}
	return reply, err
}

// parseIdn reads the lines "Key: value" of *idn?, keys in lower case.
func parseIdn(reply string) map[string]string {
	keys := map[string]string{}
	for line := range strings.Lines(reply) {
		key, value, found := strings.Cut(line, ":")
		if found {
			keys[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
		}
	}
	return keys
}

func firmware(keys map[string]string) string {
	if fw := keys["processor"]; fw != "" {
		return fw
	}
	return keys["fw"]
}

// Info implements quarch.Module: identity from opening, setting as of now.
func (m *Module) Info(ctx context.Context) (quarch.Info, error) {
	info := m.identity
	exponent, err := m.averaging(ctx)
	if err != nil {
		return quarch.Info{}, err
	}
	info.Averaging = wire.Samples(exponent)
	if info.Link == quarch.LinkFramed {
		info.PeriodNs = wire.PeriodNs(exponent)
	}
	if info.OutputMode, err = m.OutputMode(ctx); err != nil {
		return quarch.Info{}, err
	}
	rails := railsOf(info.OutputMode)
	info.Rails = rails[:]
	on, err := m.Powered(ctx)
	switch {
	case err == nil:
		info.Powered = &on
	case !errors.Is(err, quarch.ErrRefused):
		return quarch.Info{}, err
	}
	if info.RuntimeS, err = m.runtime(ctx); err != nil {
		return quarch.Info{}, err
	}
	return info, nil
}

// runtime asks how long the module has been on, which it answers in whole seconds
// ("123s"); nil where it does not say, or says something else.
func (m *Module) runtime(ctx context.Context) (*float64, error) {
	reply, err := m.optional(ctx, "conf:runtimes?")
	if err != nil {
		return nil, err
	}
	seconds, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(reply), "s"), 10, 40)
	if err != nil {
		return nil, nil //nolint:nilerr // nothing rests on it but a warning
	}
	s := float64(seconds)
	return &s, nil
}
