package capture_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"powerd/quarch"
	"powerd/quarch/capture"
	"powerd/quarch/quarchtest"
)

// A replay passes what every module has to pass. Its capture has 200 000 blocks,
// so that it does not end before the suite has closed it.
func TestReplayIsAModule(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "capture")
	w := create(t, dir)
	must(t, w.BeginStream(ppm(4000)))
	all := block(0, 200_000, 4000)
	for i := range all.Len() {
		b := all.Slice(i, i+1)
		b.ReadAtNs = int64(i)
		must(t, w.Write(b))
	}
	must(t, w.Close())
	s := open(t, dir).Streams()[0]
	quarchtest.Run(t, func(*testing.T) quarchtest.Subject {
		return quarchtest.Subject{Module: capture.Replay(s)}
	})
}

// A replay is the module again: the same blocks cut at the same places, with
// the times they arrived at, even where one block fills more than a part.
func TestReplayIsTheSameModule(t *testing.T) {
	gap := block(700, 300, 4000)
	gap.Lost, gap.Resync = 100, 1
	long := block(1000, 130_000, 4000) // 0.52 s: longer than a part
	in := []*quarch.Block{block(0, 500, 4000), block(500, 100, 4000), gap, long, block(131_000, 1, 4000)}
	m := capture.Replay(open(t, record(t, in...)).Streams()[0])
	if sent, acked := m.(quarch.Starter).StreamStart(); sent != 900 || acked != 950 {
		t.Errorf("started at %d, %d; want 900, 950", sent, acked)
	}
	info, err := m.Info(t.Context())
	if err != nil || info.Serial != serial || info.PeriodNs != 4000 {
		t.Errorf("info %+v (%v)", info, err)
	}
	for range 2 { // as often as it is asked
		i := 0
		for b, err := range m.Stream(t.Context()) {
			must(t, err)
			if i >= len(in) || !reflect.DeepEqual(b.Clone(), in[i].Clone()) {
				t.Fatalf("block %d: [%d, %d) lost %d read at %d, want block %d of %d", i, b.First, b.End(), b.Lost, b.ReadAtNs, i, len(in))
			}
			i++
		}
		if i != len(in) {
			t.Fatalf("%d blocks, want %d", i, len(in))
		}
	}
}

// A replay touches nothing, ends with its context, and is closed for good.
func TestReplayKeepsTheContract(t *testing.T) {
	m := capture.Replay(open(t, record(t, block(0, 500, 4000), block(500, 500, 4000))).Streams()[0])
	if err := m.SetPower(t.Context(), true); !errors.Is(err, quarch.ErrRefused) {
		t.Errorf("power command to a replay: %v, want ErrRefused", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range m.Stream(ctx) {
		must(t, err)
		n++
		cancel()
	}
	if n != 1 {
		t.Errorf("%d blocks after cancelling at the first, want 1", n)
	}
	must(t, m.Close())
	must(t, m.Close())
	for b, err := range m.Stream(t.Context()) {
		if b != nil || !errors.Is(err, quarch.ErrClosed) {
			t.Errorf("after close: %v, %v; want ErrClosed", b, err)
		}
	}
}
