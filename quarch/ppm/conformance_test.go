package ppm_test

import (
	"testing"
	"time"

	"powerd/quarch"
	"powerd/quarch/ppm"
	"powerd/quarch/quarchtest"
)

func now() int64 { return time.Now().UnixNano() } // virtual in a bubble

func open(t *testing.T, f *quarchtest.Fake) *ppm.Module {
	t.Helper()
	m, err := ppm.Open(t.Context(), ppm.Options{Conn: f.Connect(), Port: "fake", Link: f.Link, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestConformance(t *testing.T) {
	for _, link := range []string{quarch.LinkTerminal, quarch.LinkFramed} {
		t.Run(link, func(t *testing.T) {
			quarchtest.RunInBubble(t, func(t *testing.T) quarchtest.Subject {
				f := quarchtest.NewFake(link)
				return quarchtest.Subject{Module: open(t, f), Sent: f.Sent}
			})
		})
	}
}
